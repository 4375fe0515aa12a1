// What lies above the page: the palette, the help, the sheet with what waits, and short words at the bottom.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { matches, remembered } from "../commands";
import "../elements/approval-dialog";
import "../elements/help";
import "../elements/toasts";
import "../elements/palette";
import type { Entry } from "../elements/palette";
import type { House } from "../house";
import { isTyping } from "../keys";
import { go } from "../router";
import { type State, waiting } from "../state/state";
import { Watch } from "../state/store";

@customElement("steward-overlays")
export class Overlays extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private shown?: "palette" | "help" | "waiting";
  @state() private found: readonly Entry[] = [];
  private seen?: Watch<State>;

  override connectedCallback(): void {
    super.connectedCallback();
    this.seen ??= new Watch(this, this.house.store, (state) => state);
    addEventListener("keydown", this.press);
  }

  override disconnectedCallback(): void {
    removeEventListener("keydown", this.press);
    super.disconnectedCallback();
  }

  show(what?: "palette" | "help" | "waiting"): void {
    this.shown = what;
    if (what === "palette") this.query("");
  }

  private readonly press = (event: KeyboardEvent): void => {
    const held = event.metaKey || event.ctrlKey;
    if (event.key.toLowerCase() === "k" && held) {
      event.preventDefault();
      this.show(this.shown === "palette" ? undefined : "palette");
    } else if (this.shown || isTyping(event) || held || event.altKey) {
      return;
    } else if (event.key === "?") {
      this.show("help");
    } else if (event.key === "n" || event.key === "w") {
      // Where it leads a field takes the focus; the key must not end up in it.
      event.preventDefault();
      go(event.key === "n" ? "chat" : "waiting");
    }
  };

  private query(text: string): void {
    const found = matches(this.house, text, { help: () => this.show("help") });
    this.found = found;
    void remembered(this.house, text).then((more) => {
      if (this.found === found && more.length > 0) this.found = [...found, ...more];
    });
  }

  override render() {
    const { state } = this.house.store;
    const open = waiting(state);
    return html`<steward-toasts .toasts=${state.toasts}></steward-toasts> ${this.shown === "palette"
        ? html`<steward-palette
            .entries=${this.found}
            @query=${(event: CustomEvent<{ text: string }>) => this.query(event.detail.text)}
            @close=${() => this.show()}
          ></steward-palette>`
        : nothing}
      ${this.shown === "waiting" && open.length > 0
        ? html`<steward-approval-dialog
            .approvals=${open}
            .sessions=${state.sessions}
            @close=${() => this.show()}
            @approve=${this.house.onApprove}
            @deny=${this.house.onDeny}
          ></steward-approval-dialog>`
        : nothing}
      ${this.shown === "help" ? html`<steward-help @close=${() => this.show()}></steward-help>` : nothing}`;
  }

  override updated(): void {
    if (this.shown === "waiting" && waiting(this.house.store.state).length === 0) this.show();
  }
}
