// Short words at the bottom of the page. They go by themselves and are read out.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { icons } from "../icons";
import type { Notice } from "../state/state";
import { controls } from "../style/shared";
import { coded } from "./coded";

@customElement("steward-notices")
export class Notices extends LitElement {
  @property({ attribute: false }) notices: readonly Notice[] = [];

  static override styles = [
    controls,
    css`
      :host {
        position: fixed;
        left: 50%;
        bottom: calc(96px + env(safe-area-inset-bottom));
        transform: translateX(-50%);
        z-index: 30;
        width: max-content;
        max-width: calc(100vw - 32px);
        pointer-events: none;
      }
      .notice {
        display: flex;
        gap: 8px;
        align-items: center;
        margin-top: 8px;
        padding: 8px 14px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
        box-shadow: var(--shadow);
        font-size: 14px;
      }
      .plain svg {
        display: none;
      }
      .good svg {
        color: var(--good);
      }
      .bad {
        color: var(--bad);
      }
      .notice.good {
        color: var(--text);
      }
    `,
  ];

  override render() {
    return html`<div role="status" aria-live="polite">
      ${repeat(
        this.notices,
        (notice) => notice.id,
        (notice) =>
          html`<div class="notice ${notice.tone}">
            ${notice.tone === "bad" ? icons.warn : icons.check} <span>${coded(notice.text)}</span>
          </div>`,
      )}
    </div>`;
  }
}
