// Schedules: what comes due by itself, switched on and off, given, changed and removed.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "../elements/job-form";
import type { Given } from "../elements/job-form";
import "../elements/job-list";
import "../elements/list-states";
import type { Job } from "../gateway/orders";
import { type House, newId, words } from "../house";
import { icons } from "../icons";
import { loaded } from "../loading";
import { address, go } from "../router";
import type { Loadable, State } from "../state/state";
import { Watch } from "../state/store";
import { NO_TIME, whenOf, written } from "../state/when";
import { beside, rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";
import { Previewing } from "./previewing";
import "./schedule-sheet";

/** How many are fetched at once. */
const PAGE = 50;

/** The part of the address that is no job. */
const NEW = "new";

const EXAMPLES = ["every weekday at 9", "in 20 minutes", "every 2 hours", "on the first of every month at 8"];

@customElement("steward-schedules-view")
export class SchedulesView extends LitElement {
  @property({ attribute: false }) house!: House;
  /** The one that is shown, or `new`. */
  @property() job?: string;
  @state() private jobs: Loadable<readonly Job[]> = { is: "loading" };
  @state() private next: string | null = null;
  @state() private editing = false;
  @state() private giving = { busy: false, why: "" };
  /** The one that is shown, where the list does not have it. */
  @state() private apart?: Loadable<Job>;
  private changes?: Watch<State["changes"]>;
  private fetched?: number;
  private readonly previewing = new Previewing(this);
  /** The example a new one begins with. */
  private phrase = "";
  /** The name of the order under way: sent again after a failure, it is still one job. */
  private name?: string;

  static override styles = [
    controls,
    viewPage,
    rooms,
    beside,
    css`
      .page > header h1 {
        flex: 1;
      }
      .examples {
        display: flex;
        flex-wrap: wrap;
        justify-content: center;
        gap: 8px;
        margin: 12px 0 16px;
      }
      .more {
        display: block;
        margin: 16px auto 0;
      }
      .sheet > h2 {
        margin-bottom: 16px;
      }
      a.new {
        display: inline-flex;
        align-items: center;
        gap: 6px;
        min-height: 32px;
        padding: 0 12px;
        border-radius: var(--radius);
        background: var(--accent);
        color: var(--on-accent);
        text-decoration: none;
      }
      a.new:hover {
        background: var(--accent-hover);
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.changes ??= new Watch(this, this.house.store, (state) => state.changes);
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const { jobs } = this.house.store.state.changes;
    if (jobs !== this.fetched) {
      this.fetched = jobs;
      void this.fetch();
    }
    if (!changed.has("job")) return;
    this.apart = undefined;
    if (this.jobs.is === "here") void this.find();
    this.editing = false;
    this.giving = { busy: false, why: "" };
    if (this.job === NEW) this.previewing.begin({ ...NO_TIME, phrase: this.phrase });
    this.phrase = "";
  }

  /** Fetches again as many as are shown, or a page more. */
  private async fetch(cursor?: string): Promise<void> {
    const known = this.jobs.is === "here" ? this.jobs.value : [];
    const limit = cursor ? PAGE : Math.min(200, Math.max(PAGE, known.length));
    const page = await loaded(this.house.call("jobs.list", { cursor, limit }));
    if (page.is === "here") {
      this.jobs = { is: "here", value: cursor ? [...known, ...page.value.jobs] : page.value.jobs };
      this.next = page.value.next;
      await this.find();
    } else if (this.jobs.is !== "here") this.jobs = page;
    else if (cursor) this.house.say(page.is === "failed" ? page.why : "", "bad");
  }

  /** One that is shown may lie on another page. */
  private async find(): Promise<void> {
    const id = this.job;
    if (!id || id === NEW || (this.jobs.is === "here" && this.jobs.value.some((job) => job.id === id))) return;
    const found = await loaded(this.house.call("jobs.get", { id }).then((answer) => answer.job));
    if (id === this.job) this.apart = found;
  }

  private async toggle(job: Job, enabled: boolean): Promise<void> {
    await this.house.attempt(() => this.house.call("jobs.update", { id: job.id, enabled }));
    await this.fetch();
  }

  private edit(job: Job): void {
    this.editing = true;
    this.previewing.begin(whenOf(job.schedule));
  }

  private begin(phrase: string): void {
    this.phrase = phrase;
    go("schedules", NEW);
  }

  private async give({ session, ...order }: Given, job?: Job): Promise<void> {
    const schedule = written(this.previewing.when);
    if (schedule === undefined) return;
    this.giving = { busy: true, why: "" };
    this.name ??= newId();
    try {
      // A schedule that was not touched stays as it is: a new one would count anew from now.
      const touched = !job || JSON.stringify(whenOf(job.schedule)) !== JSON.stringify(this.previewing.when);
      const answer = job
        ? await this.house.call("jobs.update", { id: job.id, ...order, ...(touched ? { schedule } : {}) })
        : await this.house.call("jobs.add", { ...order, schedule, session, clientJobId: this.name });
      this.name = undefined;
      this.editing = false;
      await this.fetch();
      go("schedules", answer.job.id);
      this.giving = { busy: false, why: "" };
    } catch (error) {
      this.giving = { busy: false, why: words(error) };
    }
  }

  override render() {
    const jobs = this.jobs.is === "here" ? this.jobs.value : [];
    // The heartbeat is always there; who gave nothing yet should still be shown how.
    const own = jobs.filter((job) => job.kind !== "heartbeat");
    const configured = jobs.filter((job) => job.kind === "heartbeat");
    const list = this.jobs.is === "here" ? ({ is: "here", value: own } as const) : this.jobs;
    const empty = list.is === "here" && own.length === 0;
    const switched = ({ detail }: CustomEvent<{ job: Job; enabled: boolean }>) => this.toggle(detail.job, detail.enabled);
    return html`<div class="page ${this.job ? "beside" : ""}">
      <header>
        <h1>Schedules</h1>
        ${empty ? nothing : html`<a class="new" href=${address("schedules", NEW)}>${icons.add} New schedule</a>`}
        <p>What Steward does by itself when its time comes.</p>
      </header>
      <div class="list">
        <steward-list-states
          .list=${list}
          nothing="Nothing is scheduled. Say when and what, and Steward does it then, whether you are here or not."
          @retry=${() => this.fetch()}
        >
          <div class="examples">
            ${EXAMPLES.map((phrase) => html`<button class="small" @click=${() => this.begin(phrase)}>${phrase}</button>`)}
          </div>
          <a class="new" href=${address("schedules", NEW)}>${icons.add} New schedule</a>
        </steward-list-states>
        <steward-job-list .jobs=${own} .current=${this.job} @switch=${switched}></steward-job-list>
        ${this.next ? html`<button class="more" @click=${() => this.fetch(this.next ?? undefined)}>Show more</button>` : nothing}
        ${configured.length > 0
          ? html`<section>
              <header><h2>Set in the configuration</h2></header>
              <steward-job-list .jobs=${configured} .current=${this.job}></steward-job-list>
            </section>`
          : nothing}
      </div>
      ${this.job ? this.sheet(this.job, jobs) : nothing}
    </div>`;
  }

  private sheet(id: string, jobs: readonly Job[]) {
    const apart = this.apart?.is === "here" ? this.apart.value : undefined;
    const job = jobs.find((each) => each.id === id) ?? apart;
    const back = html`<a class="back" href=${address("schedules")}>All schedules</a>`;
    if (id === NEW) return html`<div class="sheet">${back}<h2>New schedule</h2>${this.form()}</div>`;
    if (job && this.editing) return html`<div class="sheet">${back}<h2>Change ${job.name}</h2>${this.form(job)}</div>`;
    if (job) {
      return html`<div class="sheet">
        ${back}
        <steward-schedule-sheet
          .house=${this.house}
          .job=${job}
          @edit=${() => this.edit(job)}
          @removed=${() => go("schedules")}
        ></steward-schedule-sheet>
      </div>`;
    }
    if (this.apart?.is !== "failed") return nothing;
    return html`<p>This schedule is not there any more. <a href=${address("schedules")}>All schedules</a></p>`;
  }

  private form(job?: Job) {
    return html`<steward-job-form
      .job=${job}
      .when=${this.previewing.when}
      .preview=${this.previewing.preview}
      .busy=${this.giving.busy}
      .why=${this.giving.why}
      @when=${this.previewing.onWhen}
      @give=${({ detail }: CustomEvent<Given>) => this.give(detail, job)}
      @close=${() => (job ? (this.editing = false) : go("schedules"))}
    ></steward-job-form>`;
  }
}
