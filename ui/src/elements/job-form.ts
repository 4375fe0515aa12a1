// A job to be given, or changed. Fires `give` {name, message, session, deliver, missed, deleteAfterRun}, `when` {when} and
// `close`; the schedule is held by who listens, since only there its meaning is known.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Job, JobOrder, Missed, Preview } from "../gateway/orders";
import { icons } from "../icons";
import type { Loadable } from "../state/state";
import { NO_TIME, type When, written } from "../state/when";
import { forms } from "../style/forms";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { coded } from "./coded";
import { delivered, MISSED } from "./outcome";
import "./when-field";

export type Given = Omit<JobOrder, "schedule"> & { session: string };

@customElement("steward-job-form")
export class JobForm extends LitElement {
  /** The one that is changed; none for a new one. */
  @property({ attribute: false }) job?: Job;
  @property({ attribute: false }) when: When = NO_TIME;
  @property({ attribute: false }) preview?: Loadable<Preview>;
  @property({ type: Boolean }) busy = false;
  /** Why it was not taken. */
  @property() why = "";

  static override styles = [
    controls,
    rooms,
    forms,
    css`
      details > .pair {
        margin-top: 12px;
      }
      summary {
        width: max-content;
        color: var(--text-soft);
        font-size: 14px;
      }
    `,
  ];

  override firstUpdated(): void {
    if (!matchMedia("(pointer: coarse)").matches) this.field("name")?.focus();
  }

  private field(name: string): HTMLInputElement | null {
    return this.renderRoot.querySelector<HTMLInputElement>(`[name=${name}]`);
  }

  private submit(event?: Event): void {
    event?.preventDefault();
    const value = (name: string) => this.field(name)?.value.trim() ?? "";
    const empty = ["name", "message"].find((name) => !value(name));
    if (empty) return this.field(empty)?.focus();
    if (written(this.when) === undefined) return this.renderRoot.querySelector<HTMLElement>("steward-when-field")?.focus();
    if (this.busy) return;
    const detail: Given = {
      name: value("name"),
      message: value("message"),
      session: value("session") || "own",
      deliver: value("deliver"),
      missed: value("missed") as Missed,
      deleteAfterRun: this.field("delete")?.checked ?? false,
    };
    this.dispatchEvent(new CustomEvent("give", { detail }));
  }

  private press(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) this.submit(event);
    if (event.key === "Escape") this.dispatchEvent(new Event("close"));
  }

  override render() {
    const { job } = this;
    const does = job ? "Save" : "Add schedule";
    return html`<form @submit=${this.submit} @keydown=${this.press}>
      <label class="field"
        >Name <input type="text" name="name" autocomplete="off" placeholder="standup" .value=${job?.name ?? ""} />
      </label>
      <steward-when-field
        .when=${this.when}
        .preview=${this.preview}
        @when=${({ detail }: CustomEvent) => this.dispatchEvent(new CustomEvent("when", { detail }))}
      ></steward-when-field>
      <label class="field"
        >What Steward is asked then
        <textarea name="message" rows="3" placeholder="Look through my notes and tell me what is due." .value=${job?.message ?? ""}></textarea>
      </label>
      ${this.more()}
      <div role="alert">
        ${this.why ? html`<p class="told bad why">${icons.warn}<span>${coded(this.why)}</span></p>` : nothing}
      </div>
      <div class="line">
        <button class="primary" ?disabled=${this.busy}>${this.busy ? "Saving…" : does}</button>
        <button type="button" class="bare" ?disabled=${this.busy} @click=${() => this.dispatchEvent(new Event("close"))}>Cancel</button>
      </div>
    </form>`;
  }

  private more() {
    const { job } = this;
    const deliver = job?.deliver ?? "last";
    const places = [...new Set(["last", "none", deliver])];
    const missed = job?.missed ?? "once";
    return html`<details>
      <summary>More choices</summary>
      <div class="pair">
        <label class="field"
          >Tell me what came of it
          <select name="deliver">
            ${places.map((place) => html`<option value=${place} ?selected=${place === deliver}>${delivered(place)}</option>`)}
          </select>
        </label>
        <label class="field"
          >If its time was missed
          <select name="missed">
            ${(Object.keys(MISSED) as Missed[]).map((each) => html`<option value=${each} ?selected=${each === missed}>${MISSED[each]}</option>`)}
          </select>
        </label>
        ${job
          ? nothing
          : html`<label class="field"
              >Conversation
              <select name="session">
                <option value="own">one of its own</option>
                <option value="main">where I last spoke</option>
              </select>
            </label>`}
      </div>
      <label class="check"
        ><input type="checkbox" name="delete" .checked=${job?.deleteAfterRun ?? false} />Remove it once it has run</label
      >
    </details>`;
  }
}
