// The runs of a standing task, the newest first: what came of each, and the beginning of what it said.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { TaskRun } from "../gateway/orders";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { clock, duration, exact, plain } from "../words";
import { outcome } from "./outcome";

@customElement("steward-task-runs")
export class TaskRuns extends LitElement {
  @property({ attribute: false }) runs: readonly TaskRun[] = [];

  static override styles = [
    controls,
    rooms,
    css`
      .said {
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 2;
        overflow: hidden;
      }
      ul.rows > li {
        padding: 8px 4px;
      }
    `,
  ];

  override render() {
    return html`<ul class="rows" aria-label="Runs">
      ${repeat(
        this.runs,
        (run) => run.runId,
        (run) =>
          html`<li>
            <span class="line">
              ${outcome(run.outcome)}
              <time class="small soft" datetime=${run.at} title=${exact(run.at)}>${clock(run.at)} · ${ago(run.at)}</time>
              <span class="small faint push">${run.endedAt ? duration(Date.parse(run.endedAt) - Date.parse(run.at)) : nothing}</span>
            </span>
            ${run.text ? html`<span class="said small soft">${plain(run.text)}</span>` : nothing}
          </li>`,
      )}
    </ul>`;
  }
}
