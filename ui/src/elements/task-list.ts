// Tasks, the latest first, each with how it stands. J and K go along the list.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { Task } from "../gateway/orders";
import { icons } from "../icons";
import { stepAlong } from "../keys";
import { address } from "../router";
import { controls } from "../style/shared";
import { rooms } from "../style/rooms";
import { ago } from "../ticking";
import { clock, count, exact } from "../words";
import { taskKind, taskStatus } from "./task-status";

@customElement("steward-task-list")
export class TaskList extends LitElement {
  @property({ attribute: false }) tasks: readonly Task[] = [];
  @property() current?: string;

  static override styles = [
    controls,
    rooms,
    css`
      ul.rows > li {
        padding: 0;
      }
      a {
        display: block;
        padding: 10px 8px;
        color: var(--text);
        text-decoration: none;
        border-radius: var(--radius-small);
      }
      a:hover {
        background: var(--hover);
      }
      a[aria-current] {
        background: var(--chosen);
      }
      .prompt {
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 2;
        overflow: hidden;
        margin-bottom: 4px;
      }
    `,
  ];

  private press(event: KeyboardEvent): void {
    stepAlong(event, [...this.renderRoot.querySelectorAll("a")], this.shadowRoot?.activeElement);
  }

  override render() {
    return html`<ul class="rows" @keydown=${this.press}>
      ${repeat(
        this.tasks,
        (task) => task.id,
        (task) =>
          html`<li>
            <a href=${address("tasks", task.id)} aria-current=${task.id === this.current ? "true" : nothing}>
              <span class="prompt">${task.prompt}</span>
              <span class="line">
                ${taskStatus(task.status)} ${task.kind === "one_shot" ? nothing : taskKind(task.kind)}
                ${task.failures > 0 ? html`<span class="chip bad">${icons.cross} Failed ${task.failures} in a row</span>` : nothing}
                <span class="small faint">${when(task)}</span>
              </span>
            </a>
          </li>`,
      )}
    </ul>`;
  }
}

/** What matters most of its times: the next run, the end, or the beginning. */
function when(task: Task) {
  const runs = task.kind === "one_shot" ? "" : `, ${count(task.runs, "run")}`;
  if (task.nextRun) return html`<time datetime=${task.nextRun} title=${exact(task.nextRun)}>next ${ago(task.nextRun)} · ${clock(task.nextRun)}</time>${runs}`;
  const at = task.endedAt ?? task.createdAt;
  return html`<time datetime=${at} title=${exact(at)}>${task.endedAt || task.kind === "one_shot" ? "" : "given "}${ago(at)}</time>${runs}`;
}
