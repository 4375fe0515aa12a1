// A program to read: coloured, with the numbers of its lines, those marked that something is wrong with. Of a long one only
// the beginning is shown at first.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { highlightLines } from "../markdown/highlight";
import { controls } from "../style/shared";
import { syntax } from "../style/syntax";

const FIRST_LINES = 14;

/** So few lines more are not worth a button. */
const SPARE_LINES = 2;

@customElement("steward-code-listing")
export class CodeListing extends LitElement {
  @property() code = "";
  @property({ attribute: false }) marked: ReadonlySet<number> = new Set();
  @state() private all = false;
  @state() private copied = false;
  private lines: readonly string[] = [];

  static override styles = [
    controls,
    syntax,
    css`
      :host {
        display: block;
        background: var(--sunken);
      }
      .bar {
        display: flex;
        justify-content: space-between;
        align-items: center;
        padding: 2px 4px 0 12px;
        font-size: 12px;
        color: var(--text-faint);
      }
      pre {
        margin: 0;
        padding: 2px 0 10px;
        overflow-x: auto;
        line-height: 20px;
        counter-reset: line;
      }
      pre:focus-visible {
        outline-offset: -2px;
      }
      pre code {
        display: block;
        width: max-content;
        min-width: 100%;
      }
      .row {
        display: block;
        min-height: 20px;
        padding-right: 12px;
        border-left: 3px solid transparent;
        counter-increment: line;
      }
      .row::before {
        content: counter(line);
        display: inline-block;
        width: 4ch;
        margin-right: 1.5ch;
        text-align: right;
        color: var(--text-faint);
      }
      .row[data-marked] {
        border-left-color: var(--bad);
        background: var(--bad-ground);
      }
      .row[data-marked]::before {
        color: var(--bad);
        font-weight: 600;
      }
      .more {
        margin: 0 0 8px 8px;
      }
    `,
  ];

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("code")) this.lines = highlightLines(this.code.trimEnd(), "typescript");
  }

  /** Shows a line, wherever it stands. */
  async reveal(line: number): Promise<void> {
    if (line > this.shown) this.unfold(true);
    await this.updateComplete;
    this.renderRoot.querySelectorAll(".row")[line - 1]?.scrollIntoView({ block: "nearest" });
    this.renderRoot.querySelector("pre")?.focus({ preventScroll: true });
  }

  private get shown(): number {
    const { length } = this.lines;
    return this.all || length <= FIRST_LINES + SPARE_LINES ? length : FIRST_LINES;
  }

  private unfold(all: boolean): void {
    this.all = all;
    this.dispatchEvent(new Event("unfold", { bubbles: true, composed: true }));
  }

  private async copy(): Promise<void> {
    await navigator.clipboard.writeText(this.code);
    this.copied = true;
    setTimeout(() => (this.copied = false), 1500);
  }

  override render() {
    const { length } = this.lines;
    const rows = this.lines
      .slice(0, this.shown)
      .map((line, index) => html`<span class="row" ?data-marked=${this.marked.has(index + 1)}>${unsafeHTML(line)}</span>`);
    return html`<div class="bar">
        <span>TypeScript</span>
        <button class="bare small" aria-label="Copy the program" @click=${this.copy}>${this.copied ? "Copied" : "Copy"}</button>
      </div>
      <pre tabindex="0" aria-label="The program"><code>${rows}</code></pre>
      ${length > FIRST_LINES + SPARE_LINES
        ? html`<button class="bare small more" aria-expanded=${this.all} @click=${() => this.unfold(!this.all)}>
            ${this.all ? "Show fewer lines" : `Show all ${length} lines`}
          </button>`
        : nothing}`;
  }
}
