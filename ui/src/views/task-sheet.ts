// One task beside the list: its order, what it did, what it asks, and the way to stop it. Fires `changed`, and `close` when
// its address was copied.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "../elements/approval-card";
import "../elements/list-states";
import "../elements/hook-card";
import { delivered } from "../elements/outcome";
import "../elements/task-runs";
import { taskKind, taskStatus } from "../elements/task-status";
import "../elements/task-timeline";
import type { Hook, Task, TaskRun, TaskStatus } from "../gateway/orders";
import { followTask } from "../gateway/tasks";
import type { House } from "../house";
import { loaded } from "../loading";
import { address } from "../router";
import { type State, waiting } from "../state/state";
import { Watch } from "../state/store";
import { isUnderWay, NOTHING_TOLD, seqOf, standing, tell, type Timeline } from "../state/timeline";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { clock, exact } from "../words";

/** What happened matters more than when: it is shown after so long without the times. */
const PATIENCE_MS = 1500;

/** How many of the latest runs are listed; all of them are in the conversation. */
const RUNS = 20;

@customElement("steward-task-sheet")
export class TaskSheet extends LitElement {
  @property({ attribute: false }) house!: House;
  @property({ attribute: false }) task!: Task;
  /** Where something is handed in, right after the task was made. */
  @property({ attribute: false }) hook?: Hook;
  @state() private runs: readonly TaskRun[] = [];
  @state() private timeline: Timeline = NOTHING_TOLD;
  @state() private reached = true;
  @state() private stopping = false;
  private approvals!: Watch<State["approvals"]>;
  private followed?: string;
  private stop?: () => void;

  static override styles = [
    controls,
    rooms,
    css`
      :host {
        display: block;
      }
      section {
        margin-top: 0;
      }
      h2 {
        font-size: var(--text-size);
        font-weight: 400;
        line-height: var(--text-line);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        max-height: 240px;
        overflow-y: auto;
        margin-bottom: 8px;
      }
      .line {
        margin-bottom: 16px;
      }
      dl.facts {
        margin-bottom: 16px;
      }
      h3 {
        margin: 16px 0 4px;
      }
      steward-approval-card {
        display: block;
        margin-bottom: 16px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.approvals ??= new Watch(this, this.house.store, (state) => state.approvals);
    if (this.followed) this.follow();
  }

  override disconnectedCallback(): void {
    this.stop?.();
    super.disconnectedCallback();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (this.task.id !== this.followed) this.follow();
    if (changed.has("task") && this.task.kind !== "one_shot") void this.fetchRuns();
  }

  private async fetchRuns(): Promise<void> {
    const { id } = this.task;
    const runs = await loaded(this.house.call("tasks.history", { id, limit: RUNS }));
    if (runs.is === "here" && id === this.task.id) this.runs = runs.value.runs;
  }

  private follow(): void {
    this.stop?.();
    const { id, sessionKey } = this.task;
    this.followed = id;
    this.timeline = NOTHING_TOLD;
    this.runs = [];
    this.stopping = false;
    const times = this.timesOf(sessionKey);
    this.stop = followTask(id, {
      reached: (reached) => (this.reached = reached),
      event: (place, event) => {
        const now = new Date().toISOString();
        void times.then((times) => {
          if (this.followed !== id) return;
          this.timeline = tell(this.timeline, place, event, times.get(seqOf(place)) ?? now);
          if (event.type === "completed" || event.type === "error") this.dispatchEvent(new Event("changed"));
        });
      },
    });
  }

  /** When each event was written; the stream does not say. What is not here by now happens now. */
  private async timesOf(sessionKey: string): Promise<ReadonlyMap<number, string>> {
    const enough = new Promise<undefined>((done) => setTimeout(done, PATIENCE_MS));
    const page = await Promise.race([loaded(this.house.call("audit.list", { sessionKey, limit: 1000 })), enough]);
    return new Map(page?.is === "here" ? page.value.events.map((event) => [event.seq, event.at]) : []);
  }

  private async cancel(): Promise<void> {
    this.stopping = true;
    const went = await this.house.attempt(() => this.house.call("tasks.cancel", { id: this.task.id }));
    if (!went) this.stopping = false;
    this.dispatchEvent(new Event("changed"));
  }

  override render() {
    const { task, house } = this;
    const status = standing(task, this.timeline);
    const open = waiting(house.store.state).filter((approval) => approval.session === task.sessionKey);
    return html`<section aria-label="Task">
      <h2>${task.prompt}</h2>
      <div class="line">
        ${taskStatus(status)} ${taskKind(task.kind)}
        <span class="push"></span>
        ${task.runId ? html`<a class="small" href=${address("chat", task.sessionKey)}>Open as conversation</a>` : nothing}
        ${isUnderWay(status)
          ? html`<button class="small" ?disabled=${this.stopping} @click=${this.cancel}>${this.stopping ? "Stopping…" : "Cancel"}</button>`
          : nothing}
      </div>
      ${this.hook
        ? html`<steward-hook-card
            .hook=${this.hook}
            .signed=${task.signed}
            @close=${() => this.dispatchEvent(new Event("close"))}
          ></steward-hook-card>`
        : nothing}
      ${this.facts(task)}
      ${open.map(
        (approval) =>
          html`<steward-approval-card
            .approval=${approval}
            @approve=${({ detail }: CustomEvent<{ id: string; calls?: string[]; rule?: string }>) =>
              house.approve(detail.id, detail.calls, detail.rule)}
            @deny=${({ detail }: CustomEvent<{ id: string; reason?: string }>) => house.deny(detail.id, detail.reason)}
          ></steward-approval-card>`,
      )}
      ${this.runs.length > 0
        ? html`<h3>Runs</h3>
            <steward-task-runs .runs=${this.runs}></steward-task-runs>
            <h3>What happened</h3>`
        : nothing}
      ${this.begins(status)}
      <steward-task-timeline .timeline=${this.timeline} .reached=${this.reached}></steward-task-timeline>
    </section>`;
  }

  /** What stands in for a timeline that has not begun. */
  private begins(status: TaskStatus) {
    if (this.timeline.lines.length > 0) return nothing;
    if (status === "queued") return html`<p class="soft">It begins when there is room for it.</p>`;
    if (this.task.kind === "recurring" && status === "active") return html`<p class="soft">Its first run has not come yet.</p>`;
    if (this.task.kind === "event" && status === "active") return html`<p class="soft">It runs when something is sent to its address.</p>`;
    return isUnderWay(status) ? html`<steward-list-states></steward-list-states>` : nothing;
  }

  private facts(task: Task) {
    const { createdAt, nextRun, reason } = task;
    const standing = task.kind !== "one_shot";
    return html`<dl class="facts">
      ${task.describe ? html`<dt>Comes</dt><dd>${task.describe}</dd>` : nothing}
      ${nextRun ? html`<dt>Next</dt><dd><time datetime=${nextRun} title=${exact(nextRun)}>${ago(nextRun)} · ${clock(nextRun)}</time></dd>` : nothing}
      <dt>Given</dt>
      <dd><time datetime=${createdAt} title=${exact(createdAt)}>${ago(createdAt)}</time></dd>
      ${standing ? html`<dt>Runs</dt><dd>${task.runs}${task.failures > 0 ? html` <span class="bad">· the last ${task.failures} failed</span>` : nothing}</dd>` : nothing}
      ${standing ? html`<dt>Tells you</dt><dd>${delivered(task.deliver)}</dd>` : nothing}
      ${task.kind === "event" ? html`<dt>Senders</dt><dd>${task.signed ? "must sign what they send" : "need only the address"}</dd>` : nothing}
      ${reason ? html`<dt>Ended</dt><dd>${reason}</dd>` : nothing}
    </dl>`;
  }
}
