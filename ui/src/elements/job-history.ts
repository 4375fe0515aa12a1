// What came of each time a job came due, the newest first: outcome, when, how long, and why it was late.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { Firing } from "../gateway/orders";
import { tookMs } from "../state/when";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { clock, duration, exact } from "../words";
import { outcome } from "./outcome";

/** A firing that began later than this after its time is said to be late. */
const LATE_MS = 60_000;

@customElement("steward-job-history")
export class JobHistory extends LitElement {
  @property({ attribute: false }) firings: readonly Firing[] = [];

  static override styles = [
    controls,
    rooms,
    css`
      ul.rows > li {
        display: grid;
        grid-template-columns: minmax(88px, max-content) minmax(0, 1fr) auto;
        gap: 0 12px;
        align-items: start;
        padding: 8px 4px;
      }
      .note {
        grid-column: 2 / -1;
        margin: 0;
      }
      .took {
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  override render() {
    return html`<ul class="rows" aria-label="History">
      ${repeat(
        this.firings,
        (firing) => `${firing.slot} ${firing.runId}`,
        (firing) => this.row(firing),
      )}
    </ul>`;
  }

  private row(firing: Firing) {
    const took = tookMs(firing);
    const late = firing.lateMs > LATE_MS ? `, ${duration(firing.lateMs)} late` : "";
    return html`<li>
      ${outcome(firing.outcome)}
      <time class="small soft" datetime=${firing.slot} title=${exact(firing.slot)}>${clock(firing.slot)} · ${ago(firing.slot)}${late}</time>
      <span class="took small faint">${took === undefined ? nothing : duration(took)}</span>
      ${firing.note ? html`<p class="note small soft">${firing.note}</p>` : nothing}
    </li>`;
  }
}
