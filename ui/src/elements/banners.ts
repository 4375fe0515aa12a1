// What is said above a view: that the connection is away, and that something waits in another conversation. Fires
// `retry` and `look`.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icons } from "../icons";
import { type Approval, undecided } from "../state/state";
import { controls } from "../style/shared";
import { lower } from "../words";

@customElement("steward-banners")
export class Banners extends LitElement {
  @property({ type: Boolean }) away = false;
  /** What waits elsewhere. */
  @property({ attribute: false }) other?: Approval;

  static override styles = [
    controls,
    css`
      .banner {
        display: flex;
        align-items: center;
        justify-content: center;
        gap: 8px;
        padding: 6px 16px 6px var(--head-inset, 16px);
        background: var(--warn-ground);
        color: var(--warn);
        border-bottom: 1px solid var(--warn-line);
        font-size: 14px;
      }
      .banner span {
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .banner button {
        flex: none;
      }
    `,
  ];

  override render() {
    const fire = (name: string) => () => this.dispatchEvent(new Event(name));
    const call = this.other && undecided(this.other)[0];
    return html`<div role="status">
      ${this.away
        ? html`<div class="banner">
            ${icons.clock}<span>Reconnecting… nothing is lost.</span>
            <button class="small" @click=${fire("retry")}>Try now</button>
          </div>`
        : nothing}
      ${call
        ? html`<div class="banner">
            ${icons.wait}<span
              >${this.other?.forecast
                ? "Elsewhere, a program asks you."
                : `Elsewhere, Steward wants to ${lower(call.summary)}.`}</span
            >
            <button class="small" @click=${fire("look")}>Look</button>
          </div>`
        : nothing}
    </div>`;
  }
}
