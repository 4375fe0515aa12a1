// What the owner said: a message that was heard, waits, is on its way or did not go. Fires `edit` {text}, and for a
// message that is not yet a turn `again` and `take-back`.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Attachment } from "../gateway/frames";
import { icons } from "../icons";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { exact } from "../words";
import "./attachment";

@customElement("steward-said")
export class SaidElement extends LitElement {
  @property() text = "";
  @property() at = "";
  /** How it stands, where it is not yet a turn. */
  @property() is: "heard" | "sending" | "queued" | "failed" = "heard";
  @property() why = "";
  /** Where it came from, if not from this page. */
  @property() source = "";
  @property({ attribute: false }) attachments: readonly Attachment[] = [];
  @state() private copied = false;

  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        align-items: flex-end;
      }
      .bubble {
        max-width: 85%;
        padding: 8px 14px;
        border-radius: 16px;
        background: var(--said);
        overflow-wrap: anywhere;
      }
      .text {
        white-space: pre-wrap;
      }
      [data-waits] {
        opacity: 0.75;
      }
      .under {
        display: flex;
        align-items: center;
        flex-wrap: wrap;
        justify-content: flex-end;
        gap: 2px 6px;
        min-height: 24px;
        padding-top: 2px;
      }
      .tools {
        display: flex;
        align-items: center;
        opacity: 0;
        transition: opacity var(--quick);
      }
      :host(:hover) .tools,
      :host(:focus-within) .tools {
        opacity: 1;
      }
      @media (hover: none) {
        .tools {
          opacity: 1;
        }
      }
      .tools button {
        width: 26px;
        height: 24px;
        min-height: 24px;
      }
      .tools svg,
      .note svg {
        width: 15px;
        height: 15px;
      }
      .note {
        display: inline-flex;
        gap: 4px;
        align-items: center;
      }
    `,
  ];

  private fire(name: string, detail?: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  private async copy(): Promise<void> {
    await navigator.clipboard.writeText(this.text);
    this.copied = true;
    setTimeout(() => (this.copied = false), 1500);
  }

  override render() {
    return html`<div class="bubble" ?data-waits=${this.is !== "heard"}>
        <span class="unseen">You: </span><span class="text">${this.text}</span>
        ${this.attachments.map((each) => html`<steward-attachment .attachment=${each}></steward-attachment>`)}
      </div>
      <div class="under small">${this.under()}</div>`;
  }

  private under() {
    switch (this.is) {
      case "sending":
        return html`<span class="faint">sending…</span>`;
      case "failed":
        return html`<span class="note bad" role="alert">${icons.warn} Not sent. ${this.why}</span>
          <button class="small" @click=${() => this.fire("again")}>Send again</button>
          <button class="bare small" @click=${() => this.fire("take-back")}>Remove</button>`;
      case "queued":
        return html`<span class="note faint">${icons.clock} queued, comes next</span>
          <button class="bare small" @click=${() => this.fire("take-back", { edit: true })}>Edit</button>
          <button class="bare small" @click=${() => this.fire("take-back")}>Remove</button>`;
      default:
        return html`<div class="tools">
            <span class="faint" title=${exact(this.at)}
              >${this.source ? `from ${this.source}, ` : ""}${ago(this.at)}</span
            >
            <button class="bare icon" aria-label="Copy" title="Copy" @click=${this.copy}>
              ${this.copied ? icons.check : icons.copy}
            </button>
            <button
              class="bare icon"
              aria-label="Edit and send again"
              title="Edit and send again"
              @click=${() => this.fire("edit", { text: this.text })}
            >
              ${icons.edit}
            </button>
          </div>
          ${nothing}`;
    }
  }
}
