// Where the owner writes. Enter sends, with Shift it makes a line. Fires `send` {text}, `draft` {text}, `stop`,
// `edit-last` and `command` {name, argument}.
import { html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { icons } from "../icons";
import { composer } from "../style/composer";
import { controls } from "../style/shared";

export interface SlashCommand {
  readonly name: string;
  readonly does: string;
}

@customElement("steward-input-bar")
export class InputBar extends LitElement {
  /** What the field holds; set anew, it replaces what was written. */
  @property() text = "";
  /** Whether a turn is under way and can be stopped. */
  @property({ type: Boolean }) busy = false;
  /** What stands below the field. */
  @property() note = "";
  @property({ attribute: false }) commands: readonly SlashCommand[] = [];
  @state() private chosen = 0;
  @query("textarea") private field!: HTMLTextAreaElement;

  static override styles = [controls, composer];

  override focus(): void {
    void this.updateComplete.then(() => {
      this.field.focus();
      this.field.setSelectionRange(this.field.value.length, this.field.value.length);
    });
  }

  override updated(changed: Map<string, unknown>): void {
    if (changed.has("text")) this.fit();
  }

  /** Where the browser cannot do it by itself, the field is made as high as its text. */
  private fit(): void {
    if (CSS.supports("field-sizing", "content")) return;
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }

  private fire(name: string, detail?: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  private write(text: string): void {
    this.text = text;
    this.chosen = 0;
    this.fire("draft", { text });
  }

  private get offered(): readonly SlashCommand[] {
    if (!/^\/\w*$/.test(this.text)) return [];
    return this.commands.filter((command) => `/${command.name}`.startsWith(this.text));
  }

  private submit(): void {
    const text = this.text.trim();
    if (!text) return;
    const [, name, argument = ""] = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
    if (name && this.commands.some((command) => command.name === name))
      this.fire("command", { name, argument: argument.trim() });
    else this.fire("send", { text });
    this.write("");
  }

  private press(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const { offered } = this;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (offered.length > 0 && step) {
      event.preventDefault();
      this.chosen = (this.chosen + step + offered.length) % offered.length;
    } else if (offered.length > 0 && (event.key === "Tab" || event.key === "Enter")) {
      event.preventDefault();
      this.take(offered[this.chosen]);
    } else if (event.key === "Enter" && !event.shiftKey && !matchMedia("(pointer: coarse)").matches) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "ArrowUp" && !this.text) {
      event.preventDefault();
      this.fire("edit-last");
    } else if (event.key === "Escape" && offered.length > 0) {
      event.stopPropagation();
      this.write("");
    }
  }

  private take(command: SlashCommand | undefined): void {
    if (!command) return;
    // Those that need a word after them wait for it.
    if (command.does.includes("…")) this.write(`/${command.name} `);
    else {
      this.fire("command", { name: command.name, argument: "" });
      this.write("");
    }
    this.focus();
  }

  override render() {
    const { offered } = this;
    const send = html`<button
      class="primary icon send"
      aria-label="Send"
      title="Send"
      ?disabled=${!this.text.trim()}
      @click=${this.submit}
    >
      ${icons.send}
    </button>`;
    const stop = html`<button class="icon stop" aria-label="Stop" title="Stop (Esc)" @click=${() => this.fire("stop")}>
      ${icons.stop}
    </button>`;
    return html`<div class="frame">
        ${offered.length > 0 ? this.menu(offered) : nothing}
        <textarea
          rows="1"
          aria-label="Message to Steward"
          aria-controls=${offered.length > 0 ? "commands" : nothing}
          aria-activedescendant=${offered.length > 0 ? `command-${this.chosen}` : nothing}
          placeholder="Message Steward"
          enterkeyhint="send"
          .value=${this.text}
          @input=${() => this.write(this.field.value)}
          @keydown=${this.press}
        ></textarea>
        ${this.busy ? stop : nothing} ${this.busy && !this.text.trim() ? nothing : send}
      </div>
      <div class="note small faint">${this.note}</div>`;
  }

  private menu(offered: readonly SlashCommand[]) {
    return html`<ul id="commands" role="listbox" aria-label="Commands">
      ${offered.map(
        (command, index) =>
          html`<li
            id="command-${index}"
            role="option"
            aria-selected=${index === this.chosen}
            @pointerdown=${(event: Event) => (event.preventDefault(), this.take(command))}
          >
            <b>/${command.name}</b> <span class="soft">${command.does}</span>
          </li>`,
      )}
    </ul>`;
  }
}
