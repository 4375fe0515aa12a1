// The answers to a request: yes to what is chosen, no, no with a reason, yes with a rule. Fires `answer` {yes, all?, reason?,
// rule?}; `all` means every call, whatever is chosen.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { AskedCall } from "../gateway/frames";
import { icons } from "../icons";
import { card } from "../style/card";
import { controls } from "../style/shared";
import "./approval-panel";

@customElement("steward-approval-answers")
export class ApprovalAnswers extends LitElement {
  /** The request; a panel that is open belongs to one. */
  @property() of = "";
  /** How many calls there are to decide about, and those of them that would be allowed. */
  @property({ type: Number }) all = 1;
  @property({ attribute: false }) chosen: readonly AskedCall[] = [];
  /** Whether a program asks. */
  @property({ type: Boolean }) program = false;
  @property({ type: Boolean }) busy = false;
  /** Whether nothing can be allowed yet. */
  @property({ type: Boolean }) blocked = false;
  @state() private panel?: "reason" | "rule";

  static override styles = [controls, card];

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("of")) this.panel = undefined;
  }

  /** Moves the focus along the buttons. */
  step(by: number): void {
    const buttons = [...this.renderRoot.querySelectorAll<HTMLElement>(".buttons button")];
    const at = buttons.indexOf(this.shadowRoot?.activeElement as HTMLElement);
    buttons[at < 0 ? (by > 0 ? 0 : buttons.length - 1) : (at + by + buttons.length) % buttons.length]?.focus();
  }

  private answer(detail: { yes: boolean; all?: boolean; reason?: string; rule?: string }): void {
    this.dispatchEvent(new CustomEvent("answer", { detail }));
  }

  override render() {
    const rules = [...new Set(this.chosen.flatMap((call) => call.rules ?? []))];
    if (this.panel)
      return html`<steward-approval-panel
        .kind=${this.panel}
        .rules=${rules}
        .busy=${this.busy}
        @answer=${({ detail }: CustomEvent<{ reason?: string; rule?: string }>) =>
          this.answer({ yes: this.panel === "rule", ...detail })}
        @back=${() => (this.panel = undefined)}
      ></steward-approval-panel>`;
    const { busy, all } = this;
    const none = busy || this.blocked;
    const yes = this.chosen.length;
    return html`<div class="buttons">
      <button ?disabled=${none || yes === 0} @click=${() => this.answer({ yes: true })}>
        ${icons.check} ${this.label(yes)} <kbd>A</kbd>
      </button>
      <button ?disabled=${busy} @click=${() => this.answer({ yes: false })}>
        ${icons.cross} ${all > 1 ? "Deny all" : "Deny"} <kbd>D</kbd>
      </button>
      ${this.program && yes < all
        ? html`<button class="bare" ?disabled=${none} @click=${() => this.answer({ yes: true, all: true })}>Allow all ${all}</button>`
        : nothing}
      <button class="bare" ?disabled=${busy} @click=${() => (this.panel = "reason")}>Deny with a reason…</button>
      ${rules.length > 0
        ? html`<button class="bare" ?disabled=${none} @click=${() => (this.panel = "rule")}>Always allow…</button>`
        : nothing}
    </div>`;
  }

  private label(yes: number): string {
    const { all } = this;
    if (this.program) return all === 1 ? "Allow" : yes === all ? `Allow all ${all}` : `Allow ${yes} chosen`;
    return all === 1 ? "Approve" : yes === all ? `Approve all ${yes}` : `Approve ${yes} of ${all}`;
  }
}
