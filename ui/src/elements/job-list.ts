// Jobs, each with when it comes and what came of it last, and a switch. Fires `switch` {job, enabled}. J and K go along.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { Job } from "../gateway/orders";
import { icons } from "../icons";
import { stepAlong } from "../keys";
import { address } from "../router";
import { switches } from "../style/forms";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { clock, exact } from "../words";
import { MISSED, outcome } from "./outcome";

@customElement("steward-job-list")
export class JobList extends LitElement {
  @property({ attribute: false }) jobs: readonly Job[] = [];
  @property() current?: string;

  static override styles = [
    controls,
    rooms,
    switches,
    css`
      ul.rows > li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        align-items: center;
        gap: 12px;
        padding: 0 8px 0 0;
      }
      a {
        display: block;
        padding: 12px 8px;
        color: var(--text);
        text-decoration: none;
        border-radius: var(--radius-small);
      }
      li:hover,
      li[data-current] {
        background: var(--hover);
        border-radius: var(--radius-small);
      }
      li[data-current] {
        background: var(--chosen);
      }
      b {
        font-weight: 600;
      }
      .off :is(b, .when, .next) {
        color: var(--text-faint);
      }
      .name {
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 2;
        overflow: hidden;
      }
      .last {
        display: inline-flex;
        gap: 4px;
      }
      /* The green is too pale there; the icon and the word say the same. */
      li[data-current] .good {
        color: inherit;
      }
      .under {
        display: flex;
        flex-wrap: wrap;
        gap: 0 16px;
        margin-top: 2px;
      }
    `,
  ];

  private press(event: KeyboardEvent): void {
    stepAlong(event, [...this.renderRoot.querySelectorAll("a")], this.shadowRoot?.activeElement);
  }

  override render() {
    return html`<ul class="rows" @keydown=${this.press}>
      ${repeat(
        this.jobs,
        (job) => job.id,
        (job) => this.row(job),
      )}
    </ul>`;
  }

  private row(job: Job) {
    const current = job.id === this.current;
    const toggle = () => this.dispatchEvent(new CustomEvent("switch", { detail: { job, enabled: !job.enabled } }));
    return html`<li class=${job.enabled ? "" : "off"} ?data-current=${current}>
      <a href=${address("schedules", job.id)} aria-current=${current ? "true" : nothing}>
        <span class="line">
          <b class="name">${job.name}</b>
          ${job.kind === "task" ? html`<span class="chip">${icons.tasks} Task</span>` : nothing}
          ${job.failures > 0 ? html`<span class="chip bad">${icons.cross} Failed ${job.failures} in a row</span>` : nothing}
        </span>
        <span class="when">${job.schedule.kind === "at" && job.nextRun ? "once" : job.describe}</span>
        <span class="under small">
          <span class="next soft">${next(job)}</span>
          ${job.lastRun
            ? html`<span class="last" title=${exact(job.lastRun.firedAt)}
                >${outcome(job.lastRun.outcome)} <span class="faint">${ago(job.lastRun.endedAt ?? job.lastRun.firedAt)}</span></span
              >`
            : html`<span class="faint">has not run yet</span>`}
          <span class="faint">if missed: ${MISSED[job.missed]}</span>
        </span>
      </a>
      ${job.kind === "reminder"
        ? html`<button
            class="switch"
            role="switch"
            aria-checked=${job.enabled}
            aria-label=${`${job.name} is on`}
            title=${job.enabled ? "On. Press to switch it off." : "Off. Press to switch it on."}
            @click=${toggle}
          ></button>`
        : nothing}
    </li>`;
  }
}

/** When it comes next, both ways of saying it. */
function next({ enabled, nextRun, running }: Job) {
  if (running > 0) return html`under way now`;
  if (!enabled) return html`switched off`;
  if (!nextRun) return html`does not come again`;
  return html`<time datetime=${nextRun} title=${exact(nextRun)}>${ago(nextRun)} · ${clock(nextRun)}</time>`;
}
