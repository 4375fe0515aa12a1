// A screen of calls that wait for the owner's word. Fires `approve` {id, calls?, rule?}, `deny` {id, reason?} and
// `step` {by}, which asks for the card before or after.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { AskedCall } from "../gateway/frames";
import { icons } from "../icons";
import { isTyping } from "../keys";
import { type Approval, undecided } from "../state/state";
import { card } from "../style/card";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { exact } from "../words";
import "./approval-call";
import "./approval-panel";

/** How long a card must have had the focus before a key decides. */
const SETTLE_MS = 300;

@customElement("steward-approval-card")
export class ApprovalCard extends LitElement {
  @property({ attribute: false }) approval!: Approval;
  /** The conversation's title, where the card does not stand in it. */
  @property() conversation = "";
  /** The calls that were set to no, where there are several. */
  @state() private refused: ReadonlySet<string> = new Set();
  @state() private panel?: "reason" | "rule";
  @state() private busy = false;
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
      this.panel = undefined;
      this.busy = false;
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

  private approve(rule?: string): void {
    if (this.busy) return;
    const open = undecided(this.approval);
    const calls = open.filter((call) => !this.refused.has(call.call)).map((call) => call.call);
    if (calls.length === 0) return this.deny();
    this.wait();
    this.fire("approve", { calls: calls.length < open.length ? calls : undefined, rule });
  }

  private deny(reason?: string): void {
    if (this.busy) return;
    this.wait();
    this.fire("deny", { reason });
  }

  private answer({ detail }: CustomEvent<{ reason?: string; rule?: string }>): void {
    if (this.panel === "reason") this.deny(detail.reason);
    else this.approve(detail.rule);
  }

  /** A second press must not decide the next thing; if no word comes, the buttons come back. */
  private wait(): void {
    this.busy = true;
    setTimeout(() => (this.busy = false), 4000);
  }

  private press(event: KeyboardEvent): void {
    if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const step = { ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 }[event.key];
    // A key that was meant for the card before must not decide this one.
    const meant = !event.repeat && performance.now() - this.focusedAt > SETTLE_MS;
    const key = event.key.toLowerCase();
    if (key === "a" || key === "d") {
      if (meant) key === "a" ? this.approve() : this.deny();
    } else if (along) this.along(along);
    else if (step) this.fire("step", { by: step });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private along(by: number): void {
    const buttons = [...this.renderRoot.querySelectorAll<HTMLElement>(".buttons button")];
    const at = buttons.indexOf(this.shadowRoot?.activeElement as HTMLElement);
    buttons[at < 0 ? (by > 0 ? 0 : buttons.length - 1) : (at + by + buttons.length) % buttons.length]?.focus();
  }

  override render() {
    const open = undecided(this.approval);
    const first = open[0];
    if (!first) return nothing;
    const several = open.length > 1;
    const alike = several && open.every((call) => call.cwd === first.cwd && call.confinement === first.confinement);
    const title = several ? `Steward wants to do ${open.length} things` : `Steward wants to ${lower(first.summary)}`;
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
      ${open.map((call) => this.call(call, several, alike))}
      ${several && alike
        ? html`<p class="alike small soft">
            All in <span class="mono">${first.cwd}</span>. ${upper(first.confinement)}.
          </p>`
        : nothing}
      ${this.panel
        ? html`<steward-approval-panel
            .kind=${this.panel}
            .rules=${this.rules(open)}
            .busy=${this.busy}
            @answer=${this.answer}
            @back=${() => (this.panel = undefined)}
          ></steward-approval-panel>`
        : this.buttons(open)}
    </section>`;
  }

  private call(call: AskedCall, several: boolean, brief: boolean) {
    if (!several) return html`<steward-approval-call .call=${call}></steward-approval-call>`;
    const refused = this.refused.has(call.call);
    const set = (no: boolean) => {
      const next = new Set(this.refused);
      if (no) next.add(call.call);
      else next.delete(call.call);
      this.refused = next;
    };
    return html`<div class="one" ?data-refused=${refused}>
      <steward-approval-call .call=${call} several ?brief=${brief}></steward-approval-call>
      <div class="choice" role="group" aria-label=${call.summary}>
        <button class="small" aria-pressed=${!refused} @click=${() => set(false)}>${icons.check} Yes</button>
        <button class="small" aria-pressed=${refused} @click=${() => set(true)}>${icons.cross} No</button>
      </div>
    </div>`;
  }

  private buttons(open: readonly AskedCall[]) {
    const yes = open.filter((call) => !this.refused.has(call.call)).length;
    const label =
      open.length === 1 ? "Approve" : yes === open.length ? `Approve all ${yes}` : `Approve ${yes} of ${open.length}`;
    const rules = this.rules(open);
    return html`<div class="buttons">
      <button ?disabled=${this.busy || yes === 0} @click=${() => this.approve()}>
        ${icons.check} ${label} <kbd>A</kbd>
      </button>
      <button ?disabled=${this.busy} @click=${() => this.deny()}>
        ${icons.cross} ${open.length > 1 ? "Deny all" : "Deny"} <kbd>D</kbd>
      </button>
      <button class="bare" ?disabled=${this.busy} @click=${() => (this.panel = "reason")}>Deny with a reason…</button>
      ${rules.length > 0
        ? html`<button class="bare" ?disabled=${this.busy} @click=${() => (this.panel = "rule")}>Always allow…</button>`
        : nothing}
    </div>`;
  }

  private rules(open: readonly AskedCall[]): string[] {
    return [...new Set(open.filter((call) => !this.refused.has(call.call)).flatMap((call) => call.rules ?? []))];
  }
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
