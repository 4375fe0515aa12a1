// A screen of calls that wait for the owner's word. Fires `approve` {id, calls?, rule?}, `deny` {id, reason?} and
// `step` {by}, which asks for the card before or after.
import { html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { AskedCall } from "../gateway/frames";
import { icons } from "../icons";
import { isTyping } from "../keys";
import { type Approval, undecided } from "../state/state";
import { card } from "../style/card";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { count, exact, lower, upper } from "../words";
import "./approval-answers";
import type { ApprovalAnswers } from "./approval-answers";
import "./approval-call";
import { FIRST_ROWS } from "./approval-rows";
import { coded } from "./coded";
import { forecast } from "./forecast";

/** How long a card must have had the focus before a key decides. */
const SETTLE_MS = 300;

@customElement("steward-approval-card")
export class ApprovalCard extends LitElement {
  @property({ attribute: false }) approval!: Approval;
  /** The conversation's title, where the card does not stand in it. */
  @property() conversation = "";
  /** The calls that were set to no, where there are several. */
  @state() private refused: ReadonlySet<string> = new Set();
  @state() private busy = false;
  /** Whether all calls of a long screen are shown. */
  @state() private whole = false;
  @query("steward-approval-answers") private answers?: ApprovalAnswers;
  private clock?: ReturnType<typeof setInterval>;
  private focusedAt = 0;

  static override styles = [controls, card];

  override connectedCallback(): void {
    super.connectedCallback();
    this.clock = setInterval(() => this.requestUpdate(), 30_000);
  }

  override disconnectedCallback(): void {
    clearInterval(this.clock);
    super.disconnectedCallback();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get("approval") as Approval | undefined;
    if (before && before.id !== this.approval.id) {
      this.refused = new Set();
      this.busy = false;
      this.whole = false;
    }
  }

  override focus(options?: FocusOptions): void {
    this.focusedAt = performance.now();
    this.renderRoot.querySelector<HTMLElement>("section")?.focus(options);
  }

  private fire(name: string, detail: object): void {
    this.dispatchEvent(
      new CustomEvent(name, { detail: { id: this.approval.id, ...detail }, bubbles: true, composed: true }),
    );
  }

  /** Nothing is allowed that was not shown. */
  private get hides(): boolean {
    return Boolean(this.approval.forecast) && !this.whole && undecided(this.approval).length > FIRST_ROWS;
  }

  private get chosen(): readonly AskedCall[] {
    return undecided(this.approval).filter((call) => !this.refused.has(call.call));
  }

  private approve(rule?: string): void {
    if (this.busy || this.hides) return;
    const open = undecided(this.approval);
    const calls = this.chosen.map((call) => call.call);
    if (calls.length === 0) return this.deny();
    this.wait();
    this.fire("approve", { calls: calls.length < open.length ? calls : undefined, rule });
  }

  private deny(reason?: string): void {
    if (this.busy) return;
    this.wait();
    this.fire("deny", { reason });
  }

  private answer({ detail }: CustomEvent<{ yes: boolean; all?: boolean; reason?: string; rule?: string }>): void {
    if (!detail.yes) return this.deny(detail.reason);
    if (detail.all) this.refused = new Set();
    this.approve(detail.rule);
  }

  /** A second press must not decide the next thing; if no word comes, the buttons come back. */
  private wait(): void {
    this.busy = true;
    setTimeout(() => (this.busy = false), 4000);
  }

  private press(event: KeyboardEvent): void {
    const [target] = event.composedPath();
    const ticks = target instanceof HTMLInputElement && target.type === "checkbox";
    if ((isTyping(event) && !ticks) || event.metaKey || event.ctrlKey || event.altKey) return;
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const step = { ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 }[event.key];
    // A key that was meant for the card before must not decide this one.
    const meant = !event.repeat && performance.now() - this.focusedAt > SETTLE_MS;
    const key = event.key.toLowerCase();
    if (key === "a" || key === "d") {
      if (meant) key === "a" ? this.approve() : this.deny();
    } else if (along) this.answers?.step(along);
    else if (step) this.fire("step", { by: step });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  override render() {
    const open = undecided(this.approval);
    const first = open[0];
    if (!first) return nothing;
    const several = open.length > 1;
    const alike = several && open.every((call) => call.cwd === first.cwd && call.confinement === first.confinement);
    const ahead = this.approval.forecast;
    const title = ahead
      ? `A program asks for ${count(open.length, "call")}`
      : several
        ? `Steward wants to do ${open.length} things`
        : `Steward wants to ${lower(first.summary)}`;
    return html`<section
      tabindex="0"
      role="group"
      aria-labelledby="title"
      aria-keyshortcuts="a d"
      @keydown=${this.press}
    >
      <header>
        ${icons.wait}
        <h2 id="title">${title}</h2>
        <span class="small soft" title=${exact(this.approval.expiresAt)}
          >expires ${ago(this.approval.expiresAt)}</span
        >
      </header>
      ${this.conversation ? html`<p class="small soft from">In “${this.conversation}”</p>` : nothing}
      ${ahead && several ? this.rows(open, alike) : open.map((call) => this.call(call, several, alike, Boolean(ahead)))}
      ${several && alike
        ? html`<p class="alike small soft">
            All in <span class="mono">${first.cwd}</span>. ${coded(upper(first.confinement))}.
          </p>`
        : nothing}
      ${ahead ? forecast(ahead) : nothing}
      <steward-approval-answers
        .of=${this.approval.id}
        .all=${open.length}
        .chosen=${this.chosen}
        .program=${Boolean(ahead)}
        .busy=${this.busy}
        .blocked=${this.hides}
        @answer=${this.answer}
      ></steward-approval-answers>
    </section>`;
  }

  /** The calls of a program: often many, so a row each. */
  private rows(open: readonly AskedCall[], brief: boolean) {
    return html`<steward-approval-rows
      .calls=${open}
      .refused=${this.refused}
      .brief=${brief}
      .whole=${!this.hides}
      @choose=${({ detail }: CustomEvent<{ calls: string[]; no: boolean }>) => this.choose(detail.calls, detail.no)}
      @whole=${() => (this.whole = true)}
    ></steward-approval-rows>`;
  }

  private choose(calls: readonly string[], no: boolean): void {
    const others = [...this.refused].filter((call) => !calls.includes(call));
    this.refused = new Set(no ? [...others, ...calls] : others);
  }

  private call(call: AskedCall, several: boolean, brief: boolean, named: boolean) {
    if (!several) return html`<steward-approval-call .call=${call} ?several=${named}></steward-approval-call>`;
    const refused = this.refused.has(call.call);
    const set = (no: boolean) => this.choose([call.call], no);
    return html`<div class="one" ?data-refused=${refused}>
      <steward-approval-call .call=${call} several ?brief=${brief}></steward-approval-call>
      <div class="choice" role="group" aria-label=${call.summary}>
        <button class="small" aria-pressed=${!refused} @click=${() => set(false)}>${icons.check} Yes</button>
        <button class="small" aria-pressed=${refused} @click=${() => set(true)}>${icons.cross} No</button>
      </div>
    </div>`;
  }
}
