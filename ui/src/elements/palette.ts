// ⌘K: one field over everything that can be gone to or done. Fires `query` {text}, `choose` {entry} and `close`.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { type IconName, icons } from "../icons";
import { palette } from "../style/palette";
import { controls } from "../style/shared";

export interface Entry {
  readonly group: string;
  readonly label: string;
  readonly hint?: string;
  readonly icon: IconName;
  run(): void;
}

@customElement("steward-palette")
export class Palette extends LitElement {
  @property({ attribute: false }) entries: readonly Entry[] = [];
  @state() private chosen = 0;

  static override styles = [controls, palette];

  override firstUpdated(): void {
    this.renderRoot.querySelector("dialog")?.showModal();
  }

  override updated(changed: Map<string, unknown>): void {
    if (changed.has("entries")) this.chosen = 0;
    this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  private close(): void {
    this.dispatchEvent(new Event("close"));
  }

  private choose(entry: Entry | undefined): void {
    if (!entry) return;
    this.close();
    entry.run();
  }

  private press(event: KeyboardEvent): void {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const many = Math.max(1, this.entries.length);
      this.chosen = (this.chosen + step + many) % many;
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      this.choose(this.entries[this.chosen]);
    }
  }

  private query(event: InputEvent): void {
    const text = (event.target as HTMLInputElement).value;
    this.dispatchEvent(new CustomEvent("query", { detail: { text } }));
  }

  override render() {
    const outside = (event: MouseEvent) => event.target instanceof HTMLDialogElement && this.close();
    return html`<dialog aria-label="Search and commands" @close=${this.close} @click=${outside} @keydown=${this.press}>
      <div class="field">
        ${icons.search}
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="entries"
          aria-activedescendant=${this.entries.length > 0 ? `entry-${this.chosen}` : nothing}
          aria-label="Search conversations, commands and memory"
          placeholder="Search conversations, commands and memory"
          autofocus
          @input=${this.query}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id="entries" role="listbox" aria-label="Found">
        ${this.entries.map((entry, index) => this.line(entry, index))}
        ${this.entries.length === 0 ? html`<li class="none">Nothing has these words.</li>` : nothing}
      </ul>
    </dialog>`;
  }

  private line(entry: Entry, index: number) {
    const first = entry.group !== this.entries[index - 1]?.group;
    return html`${first ? html`<li class="group" role="presentation">${entry.group}</li>` : nothing}
      <li
        id="entry-${index}"
        class="entry"
        role="option"
        aria-selected=${index === this.chosen}
        @pointermove=${() => (this.chosen = index)}
        @click=${() => this.choose(entry)}
      >
        ${icons[entry.icon]}<span class="label">${entry.label}</span>
        ${entry.hint ? html`<span class="hint small faint">${entry.hint}</span>` : nothing}
      </li>`;
  }
}
