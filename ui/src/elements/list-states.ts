// What a list shows when it is not simply full: a skeleton while it loads, one sentence when it is empty, and
// what happened when it failed. Fires `retry`. What stands inside it, a button for example, is shown when it is empty.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icons } from "../icons";
import type { Loadable } from "../state/state";
import { controls } from "../style/shared";
import { coded } from "./coded";

@customElement("steward-list-states")
export class ListStates extends LitElement {
  @property({ attribute: false }) list: Loadable<readonly unknown[]> = { is: "loading" };
  /** The sentence for an empty list. */
  @property() nothing = "";
  /** What fills it. */
  @property({ attribute: false }) action?: { label: string; href: string };

  static override styles = [
    controls,
    css`
      .bar {
        height: 16px;
        margin: 12px 0;
        border-radius: 4px;
        background: var(--hover);
        animation: breathe 1.6s ease-in-out infinite;
      }
      .bar:nth-child(2) {
        width: 72%;
      }
      .bar:nth-child(3) {
        width: 86%;
      }
      @keyframes breathe {
        50% {
          opacity: 0.5;
        }
      }
      .empty,
      .failed {
        padding: 24px 16px;
        text-align: center;
        color: var(--text-soft);
      }
      .failed {
        display: flex;
        gap: 8px;
        align-items: center;
        justify-content: center;
        flex-wrap: wrap;
        color: var(--bad);
      }
      p {
        margin: 0 0 8px;
      }
    `,
  ];

  override render() {
    const { list } = this;
    if (list.is === "loading") {
      return html`<div role="status" aria-label="Loading">
        <div class="bar"></div>
        <div class="bar"></div>
        <div class="bar"></div>
      </div>`;
    }
    if (list.is === "failed") {
      const retry = () => this.dispatchEvent(new Event("retry"));
      return html`<div class="failed" role="alert">
        ${icons.warn} <span>${coded(list.why)}</span> <button class="small" @click=${retry}>Try again</button>
      </div>`;
    }
    if (list.value.length > 0) return nothing;
    const { action } = this;
    return html`<div class="empty">
      <p>${this.nothing}</p>
      ${action ? html`<a href=${action.href}>${action.label}</a>` : nothing}
      <slot></slot>
    </div>`;
  }
}
