// One file of memory as text. Fires `typed` {text}, `save` and `discard`.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { icons } from "../icons";
import { type Editing, isChanged, spanOf } from "../state/editing";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";

@customElement("steward-memory-editor")
export class MemoryEditor extends LitElement {
  @property({ attribute: false }) editing!: Editing;
  /** Lines to look at. */
  @property({ attribute: false }) lines?: readonly [number, number];
  @property({ type: Boolean }) busy = false;
  /** What was typed is thrown away only by a second press. */
  @state() private sure = false;
  @query("textarea") private readonly field!: HTMLTextAreaElement;

  static override styles = [
    controls,
    rooms,
    css`
      textarea {
        display: block;
        min-height: max(320px, calc(100dvh - 240px));
        padding: 12px;
        resize: vertical;
        font-family: var(--mono);
        font-size: var(--code-size);
        line-height: 20px;
        tab-size: 4;
      }
      .line {
        margin-bottom: 8px;
        min-height: 40px;
      }
      @media (pointer: coarse) {
        textarea {
          font-size: 16px;
          line-height: 24px;
        }
      }
    `,
  ];

  override updated(changed: Map<string, unknown>): void {
    const { lines } = this;
    if (!lines || !changed.has("lines")) return;
    const [start, end] = spanOf(this.editing.text, lines);
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(start, end);
    const height = Number.parseFloat(getComputedStyle(this.field).lineHeight) || 20;
    this.field.scrollTop = Math.max(0, (lines[0] - 4) * height);
  }

  private press(event: KeyboardEvent): void {
    if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    this.fire("save");
  }

  private fire(name: string, detail?: unknown): void {
    this.sure = false;
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  private discard() {
    const press = () => (this.sure ? this.fire("discard") : (this.sure = true));
    return html`<button class="small" ?disabled=${this.busy} @click=${press} @blur=${() => (this.sure = false)}>
      ${this.sure ? "Press again to discard" : "Discard changes"}
    </button>`;
  }

  override render() {
    const { editing, busy } = this;
    const changed = isChanged(editing);
    return html`<div class="line">
        <h2 class="mono" id="path">${editing.path}</h2>
        <span class="small" role="status">
          ${changed
            ? html`<span class="state warn">${icons.edit} ${editing.restored ? "Unsaved, kept from before" : "Not saved yet"}</span>`
            : html`<span class="state soft">${icons.check} Saved</span>`}
        </span>
        <span class="push"></span>
        ${changed && !editing.theirs ? this.discard() : nothing}
        ${editing.theirs
          ? nothing
          : html`<button class="small primary" ?disabled=${busy || !changed} @click=${() => this.fire("save")}>
              ${busy ? "Saving…" : "Save"}
            </button>`}
      </div>
      <textarea
        aria-labelledby="path"
        spellcheck="false"
        .value=${editing.text}
        @input=${() => this.fire("typed", { text: this.field.value })}
        @keydown=${this.press}
      ></textarea>`;
  }
}
