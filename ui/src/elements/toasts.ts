// Short words at the bottom of the page. They go by themselves and are read out.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { icons } from "../icons";
import type { Toast } from "../state/state";
import { controls } from "../style/shared";
import { coded } from "./coded";

@customElement("steward-toasts")
export class Toasts extends LitElement {
  @property({ attribute: false }) toasts: readonly Toast[] = [];

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
      .toast {
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
      .told {
        max-width: 520px;
      }
      .told svg {
        color: var(--accent);
      }
      .toast a {
        pointer-events: auto;
        padding: 4px;
        margin: -4px 0;
        font-weight: 600;
      }
      .good svg {
        color: var(--good);
      }
      .bad {
        color: var(--bad);
      }
      .toast.good {
        color: var(--text);
      }
    `,
  ];

  override render() {
    return html`<div role="status" aria-live="polite">
      ${repeat(
        this.toasts,
        (toast) => toast.id,
        (toast) =>
          html`<div class="toast ${toast.tone}">
            ${toast.tone === "bad" ? icons.warn : toast.tone === "told" ? icons.bell : icons.check}
            <span>${toast.tone === "told" ? toast.text : coded(toast.text)}</span>
            ${toast.link ? html`<a href=${toast.link.href}>${toast.link.label}</a>` : nothing}
          </div>`,
      )}
    </div>`;
  }
}
