// Tasks: give one, see how all of them stand, and follow one while it works.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import "../elements/list-states";
import "../elements/task-list";
import "../elements/task-order";
import type { Ordered, TaskOrder } from "../elements/task-order";
import type { Hook, Task, TaskKind } from "../gateway/orders";
import { type House, newId } from "../house";
import { loaded } from "../loading";
import { address, go } from "../router";
import type { Loadable, State } from "../state/state";
import { Watch } from "../state/store";
import { NO_TIME, written } from "../state/when";
import { beside, rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";
import { Previewing } from "./previewing";
import "./task-sheet";

/** How many are fetched at once. */
const PAGE = 50;

const SHOWN: readonly (readonly [string, string])[] = [
  ["", "All tasks"],
  ["open", "Not over yet"],
  ["one_shot", "Once"],
  ["recurring", "Again and again"],
  ["event", "When something happens"],
];

@customElement("steward-tasks-view")
export class TasksView extends LitElement {
  @property({ attribute: false }) house!: House;
  /** The task that is followed. */
  @property() task?: string;
  @state() private tasks: Loadable<readonly Task[]> = { is: "loading" };
  @state() private next: string | null = null;
  @state() private busy = false;
  /** Which are listed: those of a kind, those that are not over, or all. */
  @state() private shown = "";
  /** The address of the task that was just made. It is told only once. */
  @state() private hook?: { task: string; hook: Hook };
  /** The one that is followed, where the list does not have it. */
  @state() private apart?: Task;
  @query("steward-task-order") private readonly order?: TaskOrder;
  private changes?: Watch<State["changes"]>;
  private approvals?: Watch<State["approvals"]>;
  private known?: readonly unknown[];
  private readonly previewing = new Previewing(this);
  /** The name of the order under way: sent again after a failure, it is still one task. */
  private name?: string;

  static override styles = [
    controls,
    viewPage,
    rooms,
    beside,
    css`
      .more {
        display: block;
        margin: 16px auto 0;
      }
      .tools {
        margin-bottom: 4px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.changes ??= new Watch(this, this.house.store, (state) => state.changes);
    this.approvals ??= new Watch(this, this.house.store, (state) => state.approvals);
  }

  /** Tasks change, and approvals come and go: then the list may be another. */
  override willUpdate(changed: Map<string, unknown>): void {
    const { changes, approvals } = this.house.store.state;
    const known = [changes.tasks, approvals, this.shown];
    if (changed.has("task")) {
      this.apart = undefined;
      if (this.known) void this.find();
    }
    if (this.known && known.every((each, index) => each === this.known?.[index])) return;
    this.known = known;
    void this.fetch();
  }

  /** Fetches again as many as are shown, or a page more. */
  private async fetch(cursor?: string): Promise<void> {
    const { shown } = this;
    const here = this.tasks.is === "here" ? this.tasks.value : [];
    const status = shown === "open" ? shown : undefined;
    const kind = shown && !status ? (shown as TaskKind) : undefined;
    const limit = cursor ? PAGE : Math.max(PAGE, here.length);
    const page = await loaded(this.house.call("tasks.list", { status, kind, cursor, limit }));
    if (shown !== this.shown) return;
    if (page.is === "here") {
      this.tasks = { is: "here", value: cursor ? [...here, ...page.value.tasks] : page.value.tasks };
      this.next = page.value.next;
      await this.find();
      // A list that is there stays: old is better than none.
    } else if (this.tasks.is !== "here") this.tasks = page;
  }

  /** A task that is followed may lie on another page, or be filtered away. */
  private async find(): Promise<void> {
    const id = this.task;
    if (!id || (this.tasks.is === "here" && this.tasks.value.some((task) => task.id === id))) return;
    const found = await loaded(this.house.call("tasks.get", { id }));
    if (id === this.task && found.is === "here") this.apart = found.value.task;
  }

  private async give({ prompt, kind, secret }: Ordered): Promise<void> {
    this.busy = true;
    this.name ??= newId();
    const schedule = kind === "recurring" ? written(this.previewing.when) : undefined;
    await this.house.attempt(async () => {
      const order = { prompt, kind, schedule, secret, clientTaskId: this.name ?? "" };
      const { task, hook } = await this.house.call("tasks.create", order);
      this.name = undefined;
      this.hook = hook && { task: task.id, hook };
      this.order?.clear();
      this.previewing.begin(NO_TIME);
      this.shown = "";
      await this.fetch();
      go("tasks", task.id);
    });
    this.busy = false;
  }

  override render() {
    const tasks = this.tasks.is === "here" ? this.tasks.value : [];
    const chosen = tasks.find((task) => task.id === this.task) ?? this.apart;
    return html`<div class="page ${this.task ? "beside" : ""}">
      <header><h1>Tasks</h1></header>
      <div class="list">
        <steward-task-order
          .busy=${this.busy}
          .when=${this.previewing.when}
          .preview=${this.previewing.preview}
          @when=${this.previewing.onWhen}
          @order=${(event: CustomEvent<Ordered>) => this.give(event.detail)}
        ></steward-task-order>
        ${tasks.length > 0 || this.shown ? this.filter() : nothing}
        <steward-list-states
          .list=${this.tasks}
          .nothing=${this.shown ? "No task is like that." : "No tasks yet. Say what should be done, and the first one stands here."}
          @retry=${() => this.fetch()}
        >
          <button @click=${() => this.order?.focus()}>Write a task</button>
        </steward-list-states>
        <steward-task-list .tasks=${tasks} .current=${this.task}></steward-task-list>
        ${this.next ? html`<button class="more" @click=${() => this.fetch(this.next ?? undefined)}>Show more</button>` : nothing}
      </div>
      ${this.task ? this.sheet(this.task, chosen) : nothing}
    </div>`;
  }

  private filter() {
    return html`<div class="tools">
      <select aria-label="Which tasks" @change=${(event: Event) => (this.shown = (event.target as HTMLSelectElement).value)}>
        ${SHOWN.map(([value, words]) => html`<option value=${value} ?selected=${value === this.shown}>${words}</option>`)}
      </select>
    </div>`;
  }

  private sheet(id: string, task?: Task) {
    if (task) {
      return html`<div>
        <a class="back" href=${address("tasks")}>All tasks</a>
        <steward-task-sheet
          .house=${this.house}
          .task=${task}
          .hook=${this.hook?.task === id ? this.hook.hook : undefined}
          @changed=${() => this.fetch()}
          @close=${() => (this.hook = undefined)}
        ></steward-task-sheet>
      </div>`;
    }
    if (this.tasks.is !== "here") return nothing;
    return html`<p>There is no task <code>${id}</code>. <a href=${address("tasks")}>All tasks</a></p>`;
  }
}
