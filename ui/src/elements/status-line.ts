// The one line that says what Steward is doing right now.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icons } from "../icons";
import type { Status } from "../state/status";
import { controls } from "../style/shared";
import { duration } from "../words";

/** Shorter waits need no count. */
const SHOW_AFTER_MS = 2000;

@customElement("steward-status-line")
export class StatusLine extends LitElement {
  @property({ attribute: false }) status!: Status;
  private clock?: ReturnType<typeof setInterval>;

  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 28px;
        font-size: 14px;
        color: var(--text-soft);
      }
      .dot {
        width: 8px;
        height: 8px;
        border-radius: 50%;
        background: var(--accent);
        animation: breathe 1.6s ease-in-out infinite;
      }
      @keyframes breathe {
        50% {
          opacity: 0.3;
        }
      }
      code {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      svg {
        color: var(--warn);
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.clock = setInterval(() => this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    clearInterval(this.clock);
    super.disconnectedCallback();
  }

  override render() {
    const { text, code, since, asking } = this.status;
    const ms = since ? Date.now() - Date.parse(since) : 0;
    return html`${asking ? icons.wait : html`<i class="dot"></i>`}<span class=${asking ? "warn" : ""}>${text}</span
      >${code ? html`<code>${code}</code>` : nothing}${ms > SHOW_AFTER_MS
        ? html`<span class="faint">${duration(Math.round(ms / 1000) * 1000)}</span>`
        : nothing}`;
  }
}
