// What waits, beside whatever is shown: a sheet at the right, or from below on a phone. Fires `close`; passes on what
// the cards fire.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { SessionInfo } from "../gateway/frames";
import { icons } from "../icons";
import type { Approval, Loadable } from "../state/state";
import { controls } from "../style/shared";
import "./approval-list";

@customElement("steward-approval-dialog")
export class ApprovalDialog extends LitElement {
  @property({ attribute: false }) approvals: readonly Approval[] = [];
  @property({ attribute: false }) sessions: Loadable<readonly SessionInfo[]> = { is: "loading" };

  static override styles = [
    controls,
    css`
      dialog {
        position: fixed;
        inset: 0 0 0 auto;
        width: min(480px, 100vw);
        height: 100dvh;
        max-height: none;
        margin: 0;
        padding: 12px 16px 24px;
        border: 0;
        border-left: 1px solid var(--line);
        background: var(--raised);
        color: var(--text);
        box-shadow: var(--shadow);
        overflow-y: auto;
      }
      dialog::backdrop {
        background: var(--veil);
      }
      header {
        display: flex;
        justify-content: space-between;
        align-items: center;
        margin-bottom: 12px;
      }
      @media (max-width: 760px) {
        dialog {
          inset: auto 0 0 0;
          width: 100vw;
          max-width: none;
          height: auto;
          max-height: 88dvh;
          border-left: 0;
          border-top: 1px solid var(--line);
          border-radius: 16px 16px 0 0;
        }
      }
    `,
  ];

  override firstUpdated(): void {
    this.renderRoot.querySelector("dialog")?.showModal();
  }

  private close(): void {
    this.dispatchEvent(new Event("close"));
  }

  override render() {
    const outside = (event: MouseEvent) => event.target instanceof HTMLDialogElement && this.close();
    return html`<dialog aria-labelledby="title" @close=${this.close} @click=${outside}>
      <header>
        <h2 id="title">Waiting for you</h2>
        <button class="bare icon" aria-label="Close" @click=${this.close}>${icons.close}</button>
      </header>
      <steward-approval-list
        .approvals=${this.approvals}
        .sessions=${this.sessions}
        @click=${this.followed}
      ></steward-approval-list>
    </dialog>`;
  }

  /** A link out of the sheet closes it. */
  private followed(event: Event): void {
    if (event.composedPath().some((node) => node instanceof HTMLAnchorElement)) this.close();
  }
}
