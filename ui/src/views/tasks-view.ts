// Tasks: give one, see how all of them stand, and follow one while it works.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import "../elements/list-states";
import "../elements/task-list";
import "../elements/task-order";
import type { TaskOrder } from "../elements/task-order";
import { listTasks, orderTask, type Task } from "../gateway/tasks";
import type { House } from "../house";
import { loaded } from "../loading";
import { address, go } from "../router";
import type { Loadable, State } from "../state/state";
import { Watch } from "../state/store";
import { beside, rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";
import "./task-sheet";

@customElement("steward-tasks-view")
export class TasksView extends LitElement {
  @property({ attribute: false }) house!: House;
  /** The task that is followed. */
  @property() task?: string;
  @state() private tasks: Loadable<readonly Task[]> = { is: "loading" };
  @state() private busy = false;
  @query("steward-task-order") private readonly order?: TaskOrder;
  /** Turns begin and end, approvals come and go: then a task may stand differently. */
  private running?: Watch<State["running"]>;
  private approvals?: Watch<State["approvals"]>;
  private refresh?: ReturnType<typeof setTimeout>;
  /** The name of the order under way: sent again after a failure, it is still one task. */
  private name?: string;

  static override styles = [controls, viewPage, rooms, beside, css``];

  override connectedCallback(): void {
    super.connectedCallback();
    this.running ??= new Watch(this, this.house.store, (state) => state.running);
    this.approvals ??= new Watch(this, this.house.store, (state) => state.approvals);
    void this.fetch();
  }

  override disconnectedCallback(): void {
    clearTimeout(this.refresh);
    super.disconnectedCallback();
  }

  private known?: unknown;

  override willUpdate(): void {
    const { running, approvals } = this.house.store.state;
    const seen = this.known as [unknown, unknown] | undefined;
    if (seen && seen[0] === running && seen[1] === approvals) return;
    this.known = [running, approvals];
    if (seen) this.soon();
  }

  private soon(): void {
    clearTimeout(this.refresh);
    this.refresh = setTimeout(() => void this.fetch(), 200);
  }

  private async fetch(): Promise<void> {
    const tasks = await loaded(listTasks());
    // A list that is there stays: old is better than none.
    if (tasks.is === "here" || this.tasks.is !== "here") this.tasks = tasks;
  }

  private async give(prompt: string): Promise<void> {
    this.busy = true;
    this.name ??= crypto.randomUUID();
    await this.house.attempt(async () => {
      const task = await orderTask(prompt, this.name ?? "");
      this.name = undefined;
      this.order?.clear();
      await this.fetch();
      go("tasks", task.id);
    });
    this.busy = false;
  }

  override render() {
    const tasks = this.tasks.is === "here" ? this.tasks.value : [];
    const chosen = tasks.find((task) => task.id === this.task);
    return html`<div class="page ${this.task ? "beside" : ""}">
      <header><h1>Tasks</h1></header>
      <div class="list">
        <steward-task-order
          .busy=${this.busy}
          @order=${(event: CustomEvent<{ prompt: string }>) => this.give(event.detail.prompt)}
        ></steward-task-order>
        <steward-list-states
          .list=${this.tasks}
          nothing="No tasks yet. Say what should be done, and the first one stands here."
          @retry=${() => this.fetch()}
        >
          <button @click=${() => this.order?.focus()}>Write a task</button>
        </steward-list-states>
        <steward-task-list .tasks=${tasks} .current=${this.task}></steward-task-list>
      </div>
      ${this.task ? this.sheet(this.task, chosen) : nothing}
    </div>`;
  }

  private sheet(id: string, task?: Task) {
    if (task) {
      return html`<div>
        <a class="back" href=${address("tasks")}>All tasks</a>
        <steward-task-sheet .house=${this.house} .task=${task} @changed=${() => this.fetch()}></steward-task-sheet>
      </div>`;
    }
    if (this.tasks.is !== "here") return nothing;
    return html`<p>There is no task <code>${id}</code>. <a href=${address("tasks")}>All tasks</a></p>`;
  }
}
