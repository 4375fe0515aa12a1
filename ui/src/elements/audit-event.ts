// One event of the log: when, what in one sentence, and all of it when unfolded.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { AuditEvent } from "../gateway/answers";
import { icons } from "../icons";
import { address } from "../router";
import { isOfDoor, sentence, type Tone } from "../state/audit";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { exact } from "../words";

const MARKS: Record<Tone, (typeof icons)[keyof typeof icons] | undefined> = {
  plain: undefined,
  good: icons.check,
  warn: icons.wait,
  bad: icons.cross,
};

@customElement("steward-audit-event")
export class AuditEventLine extends LitElement {
  @property({ attribute: false }) event!: AuditEvent;
  @property() conversation = "";
  /** The whole event is drawn only once somebody looks. */
  @state() private open = false;

  /** Who moves along the list with the keys comes to the line that unfolds. */
  static override shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  static override styles = [
    controls,
    rooms,
    css`
      summary {
        display: grid;
        grid-template-columns: 16px minmax(0, 1fr) auto;
        gap: 0 8px;
        align-items: start;
        padding: 6px 4px;
        list-style: none;
      }
      summary::-webkit-details-marker {
        display: none;
      }
      summary:hover {
        background: var(--hover);
      }
      .mark {
        display: grid;
        place-items: center;
        height: 24px;
      }
      .mark svg {
        width: 14px;
        height: 14px;
      }
      .text {
        overflow-wrap: anywhere;
      }
      .kind {
        grid-column: 2 / -1;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .inside {
        padding: 0 4px 12px 28px;
      }
    `,
  ];

  override render() {
    const { event } = this;
    const { text, tone } = sentence(event);
    const mark = MARKS[tone];
    const toggle = (toggled: Event) => (this.open = (toggled.target as HTMLDetailsElement).open);
    return html`<details @toggle=${toggle}>
      <summary>
        <span class="mark ${tone}">${mark ?? nothing}</span>
        <span class="text">${text}</span>
        <time class="small faint" datetime=${event.at} title=${exact(event.at)}>${ago(event.at)}</time>
        <span class="kind small faint"
          ><span class="mono">${event.seq}</span> · ${event.kind}${this.conversation ? ` · ${this.conversation}` : ""}</span
        >
      </summary>
      ${this.open
        ? html`<div class="inside">
            ${isOfDoor(event) ? nothing : html`<a class="small" href=${address("chat", event.session)}>Open the conversation</a>`}
            <pre>${JSON.stringify(event, undefined, 2)}</pre>
          </div>`
        : nothing}
    </details>`;
  }
}
