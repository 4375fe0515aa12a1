// A program the model wrote: how it stands, the code, what is wrong with it, its calls as they come, its console and what it
// gave back.
import { html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import type { ProgramEnd } from "../gateway/frames";
import { icons } from "../icons";
import { highlight } from "../markdown/highlight";
import { took } from "../state/calls";
import { isAsked, isMisfit, marked, problems, programStanding, returned, tally } from "../state/program";
import type { CallLine, Program } from "../state/turn";
import { program } from "../style/program";
import { controls } from "../style/shared";
import { syntax } from "../style/syntax";
import { bytes, count } from "../words";
import "./code-listing";
import type { CodeListing } from "./code-listing";
import "./tool-line";

/** More calls are drawn only when somebody wants to see them. */
const FIRST_CALLS = 50;

@customElement("steward-program")
export class ProgramBlock extends LitElement {
  @property({ attribute: false }) call!: CallLine;
  @property({ attribute: false }) program!: Program;
  @state() private open = true;
  @state() private all = false;
  @query("steward-code-listing") private listing!: CodeListing;

  static override styles = [controls, syntax, program];

  /** Who unfolds something wants to read it where it stands. */
  private unfolded(): void {
    this.dispatchEvent(new Event("unfold", { bubbles: true, composed: true }));
  }

  private fold(): void {
    this.open = !this.open;
    this.unfolded();
  }

  private showAll(): void {
    this.all = true;
    this.unfolded();
  }

  override render() {
    const { call, program } = this;
    const stands = programStanding(call, program);
    const over = call.status !== undefined;
    const said = tally(program, over);
    const dot = html`<span class="faint" aria-hidden="true">·</span>`;
    return html`<section role="group" aria-label="Program">
      <button class="head" aria-expanded=${this.open} @click=${this.fold}>
        ${icons.right}<b>Program</b>${said.map((part) => html`${dot}<span>${part}</span>`)}${dot}<span
          class="state ${stands.tone}"
          >${stands.icon ? icons[stands.icon] : nothing}${stands.word}</span
        >${took(call) ? html`<span class="faint">${took(call)}</span>` : nothing}
      </button>
      <span class="unseen" aria-live="polite">${over ? `Program ${stands.word}` : nothing}</span>
      ${this.open ? this.body(over) : nothing}
    </section>`;
  }

  private body(over: boolean) {
    const { call, program } = this;
    const { end } = program;
    const misfit = isMisfit(call, program);
    return html`<steward-code-listing .code=${program.code} .marked=${marked(call, program)}></steward-code-listing>
      ${misfit ? this.problems(call.output ?? "") : nothing}
      ${program.calls.length > 0 ? this.calls(program.calls) : nothing}
      ${program.console
        ? html`<details class="part" @toggle=${this.unfolded}>
            <summary>Console, ${count(program.console.trimEnd().split("\n").length, "line")}</summary>
            <pre tabindex="0">${program.console}</pre>
          </details>`
        : nothing}
      ${end ? this.end(end) : nothing}
      ${over && !end && !misfit && call.output ? html`<div class="part"><pre tabindex="0">${call.output}</pre></div>` : nothing}`;
  }

  private problems(output: string) {
    return html`<div class="part problems">
      <p class="lead soft">It does not fit its tools; the assistant corrects itself.</p>
      <ul aria-label="What does not fit">
        ${problems(output).map(({ line, message }) => html`<li>${this.at(line)}<span>${message}</span></li>`)}
      </ul>
    </div>`;
  }

  private at(line: number) {
    return html`<button class="bare small at" @click=${() => this.listing.reveal(line)}>line ${line}</button>`;
  }

  private calls(calls: readonly CallLine[]) {
    // A call that is asked about stands on its card.
    const places = calls.map((call, index) => ({ call, number: index + 1 })).filter(({ call }) => !isAsked(call));
    const shown = this.all ? places : places.slice(0, FIRST_CALLS);
    const asked = calls.length - places.length;
    return html`<div class="part calls">
      <ol aria-label="Calls of the program">
        ${repeat(
          shown,
          ({ call }) => call.id,
          ({ call, number }) => html`<li><steward-tool-line .call=${call} .number=${number}></steward-tool-line></li>`,
        )}
      </ol>
      ${shown.length < places.length
        ? html`<button class="bare small" @click=${this.showAll}>Show all ${count(places.length, "call")}</button>`
        : nothing}
      ${asked > 0 ? html`<p class="asked small warn">${count(asked, "call waits", "calls wait")} for your word.</p>` : nothing}
    </div>`;
  }

  private end(end: ProgramEnd) {
    if (end.status === "failed")
      return html`<div class="part wrong">
        <span class="bad">${icons.cross}</span>
        <span><b>${end.name}</b>: ${end.message} ${end.line ? this.at(end.line) : nothing}</span>
      </div>`;
    const text = returned(end);
    if (text === "null") return html`<div class="part name">It gave nothing back.</div>`;
    return html`<div class="part">
      <span class="name">Result${end.cut_bytes ? `, without its last ${bytes(end.cut_bytes)}` : ""}</span>
      <pre tabindex="0" aria-label="Result"><code>${unsafeHTML(highlight(text, "json"))}</code></pre>
    </div>`;
  }
}
