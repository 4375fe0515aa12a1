// One schedule beside the list: when it comes, what it asks, what came of it, and what can be done with it. Fires `edit`
// and `removed`.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "../elements/job-history";
import "../elements/list-states";
import { delivered, MISSED } from "../elements/outcome";
import type { Firing, Job } from "../gateway/orders";
import type { House } from "../house";
import { icons } from "../icons";
import { loaded } from "../loading";
import { address } from "../router";
import type { Loadable } from "../state/state";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { clock, exact } from "../words";

/** What lies further back is in the audit. */
const FIRINGS = 50;

@customElement("steward-schedule-sheet")
export class ScheduleSheet extends LitElement {
  @property({ attribute: false }) house!: House;
  @property({ attribute: false }) job!: Job;
  @state() private firings: Loadable<readonly Firing[]> = { is: "loading" };
  @state() private busy = false;
  @state() private sure = false;

  static override styles = [
    controls,
    rooms,
    css`
      :host {
        display: block;
      }
      section:first-child {
        margin-top: 0;
      }
      .doings {
        margin: 12px 0 20px;
      }
      h2 {
        overflow-wrap: anywhere;
      }
      h2 + p {
        margin: 2px 0 0;
      }
      .message {
        white-space: pre-wrap;
      }
    `,
  ];

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has("job")) return;
    const before = changed.get("job") as Job | undefined;
    if (before?.id !== this.job.id) {
      this.firings = { is: "loading" };
      this.sure = false;
    }
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const { id } = this.job;
    const firings = await loaded(this.house.call("jobs.history", { id, limit: FIRINGS }).then((answer) => answer.firings));
    if (id !== this.job.id) return;
    if (firings.is === "here" || this.firings.is !== "here") this.firings = firings;
  }

  private async run(): Promise<void> {
    this.busy = true;
    const { id, name } = this.job;
    if (await this.house.attempt(() => this.house.call("jobs.run", { id }))) this.house.say(`${name} runs now.`, "good");
    this.busy = false;
  }

  private async takeAway(): Promise<void> {
    if (!this.sure) {
      this.sure = true;
      return;
    }
    const { id, name } = this.job;
    if (!(await this.house.attempt(() => this.house.call("jobs.remove", { id })))) return;
    this.house.say(`${name} was removed.`);
    this.dispatchEvent(new Event("removed"));
  }

  override render() {
    const { job, firings } = this;
    return html`<section aria-label="Schedule">
        <h2>${job.name}</h2>
        <p class="soft">${job.describe}</p>
        <div class="line doings">${this.doings(job)}</div>
        ${this.facts(job)}
      </section>
      <section>
        <header><h2>History</h2></header>
        <steward-list-states .list=${firings} nothing="It has not come due yet." @retry=${() => this.fetch()}></steward-list-states>
        ${firings.is === "here" ? html`<steward-job-history .firings=${firings.value}></steward-job-history>` : nothing}
      </section>`;
  }

  private doings(job: Job) {
    const run = html`<button ?disabled=${this.busy || job.running > 0} @click=${this.run}>
      ${icons.play} ${job.running > 0 ? "Under way" : "Run now"}
    </button>`;
    if (job.kind === "task") {
      return html`${run}<span class="small soft">Belongs to a task. <a href=${address("tasks", job.task ?? "")}>Open the task</a></span>`;
    }
    if (job.kind === "heartbeat") return html`${run}<span class="small soft">It is set in the configuration.</span>`;
    return html`${run}
      <button @click=${() => this.dispatchEvent(new Event("edit"))}>${icons.edit} Edit</button>
      <button
        class="bare ${this.sure ? "bad" : ""}"
        aria-label=${this.sure ? `Press again to remove ${job.name}` : `Remove ${job.name}`}
        @click=${this.takeAway}
        @blur=${() => (this.sure = false)}
      >
        ${this.sure ? "Press again to remove" : "Remove"}
      </button>`;
  }

  private facts(job: Job) {
    const { nextRun } = job;
    return html`<dl class="facts">
      <dt>Next</dt>
      <dd>
        ${!job.enabled
          ? "switched off"
          : nextRun
            ? html`<time datetime=${nextRun} title=${exact(nextRun)}>${ago(nextRun)} · ${clock(nextRun)}</time>`
            : "does not come again"}
      </dd>
      <dt>Asks</dt>
      <dd class="message">${job.message}</dd>
      <dt>Tells you</dt>
      <dd>${delivered(job.deliver)}</dd>
      <dt>If missed</dt>
      <dd>${MISSED[job.missed]}</dd>
      ${job.model ? html`<dt>Model</dt><dd><code>${job.model}</code></dd>` : nothing}
      ${job.deleteAfterRun ? html`<dt>Afterwards</dt><dd>is removed once it has run</dd>` : nothing}
      ${job.lastRun ? html`<dt>Conversation</dt><dd><a href=${address("chat", job.session)}>Open what was said</a></dd>` : nothing}
    </dl>`;
  }
}
