// The second thought before an answer: why not, or which rule. Fires `answer` {reason} or {rule}, and `back`.
import { html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icons } from "../icons";
import { card } from "../style/card";
import { controls } from "../style/shared";

@customElement("steward-approval-panel")
export class ApprovalPanel extends LitElement {
  @property() kind: "reason" | "rule" = "reason";
  @property({ attribute: false }) rules: readonly string[] = [];
  @property({ type: Boolean }) busy = false;

  static override styles = [controls, card];

  override firstUpdated(): void {
    this.renderRoot.querySelector("input")?.focus();
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const value = this.renderRoot.querySelector<HTMLInputElement>("input[type=text], input:checked")?.value.trim();
    const detail = this.kind === "reason" ? { reason: value } : { rule: value };
    this.dispatchEvent(new CustomEvent("answer", { detail }));
  }

  override render() {
    const back = () => this.dispatchEvent(new Event("back"));
    const label = this.kind === "reason" ? html`${icons.cross} Deny` : html`${icons.check} Approve and always allow`;
    return html`<form class="panel" @submit=${this.submit}>
      ${this.kind === "reason" ? this.reason() : this.choice()}
      <div class="buttons">
        <button ?disabled=${this.busy}>${label}</button>
        <button type="button" class="bare" @click=${back}>Back</button>
      </div>
    </form>`;
  }

  private reason() {
    return html`<label
      >Why not? Steward reads this.<input type="text" maxlength="500" placeholder="not today"
    /></label>`;
  }

  private choice() {
    return html`<fieldset>
      <legend>From now on, what fits this rule runs without asking:</legend>
      ${this.rules.map(
        (rule, index) =>
          html`<label class="rule"
            ><input type="radio" name="rule" value=${rule} ?checked=${index === 0} /><code>${rule}</code></label
          >`,
      )}
    </fieldset>`;
  }
}
