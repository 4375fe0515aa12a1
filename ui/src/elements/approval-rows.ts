// The calls a program asks for, each in a row with a choice of its own that unfolds to all of the call. Fires `choose` {calls,
// no}, and `whole` to have all rows shown.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { AskedCall } from "../gateway/frames";
import { icons } from "../icons";
import { approvalRows } from "../style/approval-rows";
import { controls } from "../style/shared";
import { count } from "../words";
import "./approval-call";
import { coded } from "./coded";

/** More rows are drawn only when somebody wants to see them. */
export const FIRST_ROWS = 50;

const MAX_GIST = 160;

@customElement("steward-approval-rows")
export class ApprovalRows extends LitElement {
  @property({ attribute: false }) calls: readonly AskedCall[] = [];
  /** The calls that were set to no. */
  @property({ attribute: false }) refused: ReadonlySet<string> = new Set();
  /** Whether where they run and within which limits is said elsewhere. */
  @property({ type: Boolean }) brief = false;
  @property({ type: Boolean }) whole = false;
  /** The calls that were unfolded; the others are not drawn. */
  @state() private opened: ReadonlySet<string> = new Set();

  static override styles = [controls, approvalRows];

  private choose(calls: readonly string[], yes: boolean): void {
    this.dispatchEvent(new CustomEvent("choose", { detail: { calls, no: !yes } }));
  }

  /** The arrow keys go along the choices. */
  private press(event: KeyboardEvent): void {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const boxes = [...this.renderRoot.querySelectorAll("input")];
    const at = boxes.indexOf(event.target as HTMLInputElement);
    const next = by && at >= 0 ? boxes[at + by] : undefined;
    if (!next) return;
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  override render() {
    const { calls } = this;
    const chosen = calls.filter((call) => !this.refused.has(call.call)).length;
    const shown = this.whole ? calls : calls.slice(0, FIRST_ROWS);
    const all = (event: Event) => this.choose(calls.map((call) => call.call), (event.target as HTMLInputElement).checked);
    return html`<div @keydown=${this.press}>
      <label
        ><input
          type="checkbox"
          .checked=${chosen === calls.length}
          .indeterminate=${chosen > 0 && chosen < calls.length}
          @change=${all}
        />${chosen === calls.length ? `All ${calls.length}` : `${chosen} of ${calls.length}`} chosen</label
      >
      <ol aria-label="Calls to decide about">
        ${repeat(
          shown,
          (call) => call.call,
          (call, index) => this.row(call, index + 1),
        )}
      </ol>
      ${shown.length < calls.length
        ? html`<div class="rest">
            <button class="small" @click=${() => this.dispatchEvent(new Event("whole"))}>Show all ${count(calls.length, "call")}</button>
            <span class="small soft">They can be allowed once they were shown.</span>
          </div>`
        : nothing}
    </div>`;
  }

  private row(call: AskedCall, number: number) {
    const refused = this.refused.has(call.call);
    const toggle = (event: Event) => {
      const next = new Set(this.opened);
      if ((event.target as HTMLDetailsElement).open) next.add(call.call);
      else next.delete(call.call);
      this.opened = next;
    };
    const set = (event: Event) => this.choose([call.call], (event.target as HTMLInputElement).checked);
    const flags = call.flags?.length ?? 0;
    return html`<li class="row" ?data-refused=${refused}>
      <label
        ><input type="checkbox" aria-label=${`Call ${number}: ${call.summary}`} .checked=${!refused} @change=${set} /><span
          class="number"
          >${number}</span
        ></label
      >
      <details @toggle=${toggle}>
        <summary>
          ${icons.right}<span class="said">${call.summary === call.tool ? html`<code>${call.tool}</code>` : coded(call.summary)} <code class="soft">${gist(call.details)}</code></span>${flags > 0
            ? html`<span class="flags small">${icons.warn}${count(flags, "warning")}</span>`
            : nothing}
        </summary>
        ${this.opened.has(call.call)
          ? html`<steward-approval-call .call=${call} ?brief=${this.brief}></steward-approval-call>`
          : nothing}
      </details>
    </li>`;
  }
}

/** As much of the exact call as a row has room for. */
function gist(details: string): string {
  const line = details.replace(/\s+/g, " ");
  return line.length > MAX_GIST ? `${line.slice(0, MAX_GIST)} …` : line;
}
