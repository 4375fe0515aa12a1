// One task beside the list: its order, what it did, what it asks, and the way to stop it. Fires `changed`.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "../elements/approval-card";
import "../elements/list-states";
import { taskStatus } from "../elements/task-status";
import "../elements/task-timeline";
import { cancelTask, followTask, type Task } from "../gateway/tasks";
import type { House } from "../house";
import { loaded } from "../loading";
import { address } from "../router";
import { type State, waiting } from "../state/state";
import { Watch } from "../state/store";
import { isUnderWay, NOTHING_TOLD, seqOf, standing, tell, type Timeline } from "../state/timeline";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { exact, relative } from "../words";

/** What happened matters more than when: it is shown after so long without the times. */
const PATIENCE_MS = 1500;

@customElement("steward-task-sheet")
export class TaskSheet extends LitElement {
  @property({ attribute: false }) house!: House;
  @property({ attribute: false }) task!: Task;
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

  override willUpdate(): void {
    if (this.task.id !== this.followed) this.follow();
  }

  private follow(): void {
    this.stop?.();
    const { id, sessionKey } = this.task;
    this.followed = id;
    this.timeline = NOTHING_TOLD;
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
    const went = await this.house.attempt(() => cancelTask(this.task.id));
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
        ${taskStatus(status)}
        <time class="small faint" datetime=${task.createdAt} title=${exact(task.createdAt)}>given ${relative(task.createdAt)}</time>
        <span class="push"></span>
        <a class="small" href=${address("chat", task.sessionKey)}>Open as conversation</a>
        ${isUnderWay(status)
          ? html`<button class="small" ?disabled=${this.stopping} @click=${this.cancel}>${this.stopping ? "Stopping…" : "Cancel"}</button>`
          : nothing}
      </div>
      ${open.map(
        (approval) =>
          html`<steward-approval-card
            .approval=${approval}
            @approve=${({ detail }: CustomEvent<{ id: string; calls?: string[]; rule?: string }>) =>
              house.approve(detail.id, detail.calls, detail.rule)}
            @deny=${({ detail }: CustomEvent<{ id: string; reason?: string }>) => house.deny(detail.id, detail.reason)}
          ></steward-approval-card>`,
      )}
      ${this.timeline.lines.length > 0
        ? nothing
        : status === "queued"
          ? html`<p class="soft">It begins when there is room for it.</p>`
          : html`<steward-list-states></steward-list-states>`}
      <steward-task-timeline .timeline=${this.timeline} .reached=${this.reached}></steward-task-timeline>
    </section>`;
  }
}
