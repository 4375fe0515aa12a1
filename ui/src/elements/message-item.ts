// One turn: what was said to Steward, what it did and what it answered, as far as it has come. Passes on what its
// parts fire; fires `resend` {text} itself.
import { html, LitElement, nothing, type PropertyValues } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { icons } from "../icons";
import { address } from "../router";
import { denial } from "../state/calls";
import { type Approval, type Live, undecided } from "../state/state";
import { status } from "../state/status";
import type { Step, Turn } from "../state/turn";
import { turn } from "../style/turn";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { count, duration, exact } from "../words";
import "./approval-card";
import "./attachment";
import { coded } from "./coded";
import "./markdown";
import "./program";
import "./said";
import "./status-line";
import "./tool-line";

/** What starts a turn, where it is not somebody who says something. */
const BY_ITSELF: Readonly<Record<string, string>> = {
  due: "A standing order came due",
  heartbeat: "The regular look at what there is to do",
  hook: "Something was handed in",
  process_exit: "A command in the background has ended",
};

@customElement("steward-message-item")
export class MessageItem extends LitElement {
  @property({ attribute: false }) turn!: Turn;
  @property({ attribute: false }) live?: Live;
  @property({ attribute: false }) approvals: Readonly<Record<string, Approval>> = {};
  @state() private copied = false;

  static override styles = [controls, turn];

  /** The map of all approvals changes with any of them; only this turn's matter here. */
  override shouldUpdate(changed: PropertyValues<this>): boolean {
    if (changed.size > 1 || !changed.has("approvals")) return true;
    const before = (changed.get("approvals") ?? {}) as Readonly<Record<string, Approval>>;
    return this.asked().some((id) => before[id] !== this.approvals[id]);
  }

  private asked(): string[] {
    return this.turn.steps.flatMap((step) => (step.kind === "asked" ? [step.approval] : []));
  }

  private async copy(): Promise<void> {
    const texts = this.turn.steps.flatMap((step) => (step.kind === "text" ? [step.text] : []));
    await navigator.clipboard.writeText(texts.join("\n\n"));
    this.copied = true;
    setTimeout(() => (this.copied = false), 1500);
  }

  override render() {
    const { turn, live } = this;
    const asking = this.asked().some((id) => this.approvals[id] && undecided(this.approvals[id]).length > 0);
    const doing = status(turn, live, asking);
    const speaks = live && !live.closed && !turn.outcome;
    // What streams stands where it will stand in the log, so that it keeps its element when it is there.
    const text = speaks && live.text.text.trim() ? live.text.text : "";
    const thought = speaks ? live.thinking.text : "";
    // A call that is asked about stands on its card.
    const shown = (step: Step) =>
      !(asking && step.kind === "call" && step.call.verdict === "ask" && !step.call.decision && !step.call.status);
    const steps: (Step & { live?: boolean })[] = turn.steps.filter(shown);
    if (thought.trim()) steps.push({ kind: "thinking", text: thought, live: !text });
    if (text) steps.push({ kind: "text", text, partial: true, at: "", live: true });
    return html`<article aria-label="Turn">
      ${steps.map((step) => this.step(step))}
      ${doing && !asking ? html`<steward-status-line class="step" .status=${doing}></steward-status-line>` : nothing}
      ${this.end()}
    </article>`;
  }

  private step(step: Step & { live?: boolean }) {
    switch (step.kind) {
      case "said":
        if (BY_ITSELF[step.by]) return this.byItself(BY_ITSELF[step.by] ?? "", step.text, step.at);
        return html`<steward-said
          class="step"
          .text=${step.text}
          .at=${step.at}
          .source=${step.source === "web" ? "" : step.source}
          .attachments=${step.attachments}
        ></steward-said>`;
      case "text":
        return html`<steward-markdown class="step" .text=${step.text} .live=${step.live ?? false}></steward-markdown>`;
      case "thinking":
        return html`<details class="step">
          <summary>${icons.right}${step.live ? "Thinking" : "Thought about it"}</summary>
          <div class="thought">${step.text}</div>
        </details>`;
      case "attachment":
        return html`<steward-attachment class="step" .attachment=${step.attachment}></steward-attachment>`;
      case "call":
        return step.call.program
          ? html`<steward-program class="step" .call=${step.call} .program=${step.call.program}></steward-program>`
          : html`<steward-tool-line class="step" .call=${step.call}></steward-tool-line>`;
      case "asked":
        return this.approval(this.approvals[step.approval]);
    }
  }

  /** Nobody said this; Steward was started by something else. */
  private byItself(what: string, text: string, at: string) {
    return html`<details class="step">
      <summary title=${exact(at)}>${icons.right}${what} <span class="faint">· ${ago(at)}</span></summary>
      <div class="thought">${text}</div>
    </details>`;
  }

  private approval(approval: Approval | undefined) {
    if (!approval) return nothing;
    if (undecided(approval).length > 0)
      return html`<steward-approval-card class="step" .approval=${approval}></steward-approval-card>`;
    const denials = Object.values(approval.decisions).filter((decision) => !decision.approved);
    const [denied] = denials;
    // Which calls of a program were denied stands with the program, if not all were.
    if (!denied || (approval.forecast && denials.length < approval.calls.length)) return nothing;
    return html`<p class="step small soft">${coded(denial(denied.reason, approval.by ?? ""))}</p>`;
  }

  private end() {
    const { turn } = this;
    const { outcome } = turn;
    if (!outcome) return nothing;
    const again = html`<button class="small" @click=${this.resend}>Send again</button>`;
    const said =
      outcome.status === "aborted" ? "You stopped this." : outcome.status === "limit_reached" ? outcome.reason : "";
    const ms = turn.startedAt && turn.endedAt ? Date.parse(turn.endedAt) - Date.parse(turn.startedAt) : 0;
    const { usage } = turn;
    const tokens =
      usage.input_tokens + usage.output_tokens + (usage.cache_read_tokens ?? 0) + (usage.cache_write_tokens ?? 0);
    return html`${outcome.status === "failed"
      ? html`<div class="end bad" role="alert">
          ${icons.warn}<span
            >${coded(outcome.error.message)}
            ${outcome.error.kind.kind === "auth" ? html`<a href=${address("setup")}>Enter a key</a>` : nothing}
            ${again}</span
          >
        </div>`
      : said
        ? html`<div class="end soft">${icons.stop}<span>${coded(said)} ${again}</span></div>`
        : nothing}
    ${turn.steps.some((step) => step.kind === "text")
      ? html`<div class="foot small faint">
          <button class="bare icon" aria-label="Copy the answer" title="Copy the answer" @click=${this.copy}>
            ${this.copied ? icons.check : icons.copy}
          </button>
          <span title=${exact(turn.endedAt ?? "")}
            >${turn.model ?? ""} · ${duration(ms)}${tokens ? ` · ${count(tokens, "token")}` : ""}</span
          >
        </div>`
      : nothing}`;
  }

  private resend(): void {
    const said = this.turn.steps.find((step) => step.kind === "said");
    const detail = { text: said?.kind === "said" ? said.text : "" };
    this.dispatchEvent(new CustomEvent("resend", { detail, bubbles: true, composed: true }));
  }
}
