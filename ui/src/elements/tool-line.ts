// One tool call as a quiet line; unfolded, its input, its output and what was decided about it.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { icons } from "../icons";
import { highlight } from "../markdown/highlight";
import { brief, inputText, standing, told, took, verdict } from "../state/calls";
import type { CallLine } from "../state/turn";
import { toolLine } from "../style/tool-line";
import { controls } from "../style/shared";
import { syntax } from "../style/syntax";
import "./attachment";
import { coded } from "./coded";

/** An output longer than this is cut on the page; the copy button has all of it. */
const MAX_SHOWN = 20_000;

@customElement("steward-tool-line")
export class ToolLine extends LitElement {
  @property({ attribute: false }) call!: CallLine;
  /** Its place among the calls of a program; then it is told by its name, as the program does. */
  @property({ type: Number }) number = 0;
  @state() private open = false;
  @state() private copied = false;

  static override styles = [controls, syntax, toolLine];

  /** Who unfolds a line wants to read it where it stands. */
  private fold(): void {
    this.open = !this.open;
    this.dispatchEvent(new Event("unfold", { bubbles: true, composed: true }));
  }

  private async copy(): Promise<void> {
    await navigator.clipboard.writeText(this.call.output ?? "");
    this.copied = true;
    setTimeout(() => (this.copied = false), 1500);
  }

  override render() {
    const { call } = this;
    const { verb, object } = this.number ? { verb: html`<code>${call.tool}</code>`, object: brief(call) } : told(call);
    const stands = standing(call);
    const quiet = stands.word === "done";
    return html`<button class="line ${this.number ? "placed" : ""}" aria-expanded=${this.open} @click=${this.fold}>
        ${icons.right}${this.number ? html`<span class="place faint">${this.number}</span>` : nothing}<span class="verb">${verb}</span>${object ? html`<code>${object}</code>` : nothing}
        <span class="time faint">${took(call)}</span>
        <span class="state ${stands.tone}"
          >${stands.icon ? icons[stands.icon] : nothing}<span class=${quiet ? "unseen" : ""}>${stands.word}</span></span
        >
      </button>
      ${this.open ? this.body(call) : nothing}`;
  }

  private body(call: CallLine) {
    const input = inputText(call);
    const decided = verdict(call);
    const output = call.output ?? "";
    const shown = output.length > MAX_SHOWN ? `${output.slice(0, MAX_SHOWN)}\n…` : output;
    return html`<div class="body">
      <div class="part">
        <div class="head"><span>${call.tool}</span><span>${coded(decided)}</span></div>
        <pre tabindex="0"><code>${unsafeHTML(highlight(input.text, input.language))}</code></pre>
      </div>
      ${call.status
        ? html`<div class="part">
            <div class="head">
              <span>Output${call.truncated ? ", cut to fit" : ""}</span>
              ${output
                ? html`<button class="bare small" @click=${this.copy}>${this.copied ? "Copied" : "Copy"}</button>`
                : nothing}
            </div>
            ${output ? html`<pre tabindex="0">${shown}</pre>` : html`<span class="small faint">Nothing.</span>`}
            ${call.attachments?.map((each) => html`<steward-attachment .attachment=${each}></steward-attachment>`)}
          </div>`
        : nothing}
    </div>`;
  }
}
