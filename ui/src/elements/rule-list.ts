// Rules, one below the other. Those that can be taken back fire `remove` {rule} at the second press.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Verdict } from "../gateway/answers";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { verdict } from "./verdict";

export interface Rule {
  readonly rule: string;
  readonly verdict: Verdict;
  readonly hint?: string;
}

@customElement("steward-rule-list")
export class RuleList extends LitElement {
  @property({ attribute: false }) rules: readonly Rule[] = [];
  @property({ type: Boolean }) removable = false;
  @state() private sure?: string;

  static override styles = [
    controls,
    rooms,
    css`
      .line {
        min-height: 32px;
      }
    `,
  ];

  private press(rule: string): void {
    if (this.sure !== rule) this.sure = rule;
    else {
      this.sure = undefined;
      this.dispatchEvent(new CustomEvent("remove", { detail: { rule } }));
    }
  }

  override render() {
    return html`<ul class="rows">
      ${this.rules.map(
        ({ rule, verdict: says, hint }) =>
          html`<li class="line">
            <code>${rule}</code>
            ${hint ? html`<span class="small soft">${hint}</span>` : nothing}
            <span class="push">${verdict(says)}</span>
            ${this.removable
              ? html`<button
                  class="small"
                  aria-label=${this.sure === rule ? `Press again to remove ${rule}` : `Remove ${rule}`}
                  @click=${() => this.press(rule)}
                  @blur=${() => (this.sure = undefined)}
                >
                  ${this.sure === rule ? "Press again" : "Remove"}
                </button>`
              : nothing}
          </li>`,
      )}
    </ul>`;
  }
}
