// Notices: what Steward told the owner outside of any turn, the newest first. Who is here has read them.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import "../elements/list-states";
import "../elements/notice-line";
import type { NoticeInfo } from "../gateway/orders";
import type { House } from "../house";
import { loaded } from "../loading";
import { address } from "../router";
import { unread } from "../state/notices";
import type { Loadable, State } from "../state/state";
import { Watch } from "../state/store";
import { controls, viewPage } from "../style/shared";

/** How many older ones are fetched at once. */
const PAGE = 50;

@customElement("steward-notices-view")
export class NoticesView extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private listed: Loadable<readonly NoticeInfo[]> = { is: "loading" };
  @state() private more = false;
  private told?: Watch<State["notices"]>;
  /** Those that were unread when they were first shown here stay marked. */
  private readonly fresh = new Set<number>();

  static override styles = [
    controls,
    viewPage,
    css`
      .page {
        max-width: 720px;
      }
      steward-notice-line {
        margin-bottom: 12px;
      }
      .more {
        display: block;
        margin: 16px auto 0;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.told ??= new Watch(this, this.house.store, (state) => state.notices);
    document.addEventListener("visibilitychange", this.look);
    void this.fetch();
  }

  override disconnectedCallback(): void {
    document.removeEventListener("visibilitychange", this.look);
    super.disconnectedCallback();
  }

  private readonly look = (): void => {
    if (!document.hidden) this.house.noticed();
  };

  private async fetch(before?: number): Promise<void> {
    const page = await loaded(this.house.call("notices.list", { before, limit: PAGE }));
    const known = this.listed.is === "here" ? this.listed.value : [];
    if (page.is !== "here") {
      if (this.listed.is !== "here") this.listed = page;
      return;
    }
    this.listed = { is: "here", value: before ? [...known, ...page.value.notices] : page.value.notices };
    this.more = page.value.more;
  }

  override willUpdate(): void {
    const { notices, read } = this.house.store.state;
    for (const { seq } of unread(notices, read)) this.fresh.add(seq);
  }

  override updated(): void {
    this.look();
  }

  override render() {
    const { listed } = this;
    const fetched = listed.is === "here" ? listed.value : [];
    const newest = fetched[0]?.seq ?? 0;
    // What came since the list was fetched is pushed.
    const all = [...this.house.store.state.notices.filter(({ seq }) => seq > newest), ...fetched];
    const list = listed.is === "here" ? ({ is: "here", value: all } as const) : listed;
    const last = all.at(-1)?.seq;
    return html`<div class="page">
      <header>
        <h1>Notices</h1>
        <p>What Steward told you while nobody had asked: reminders, finished tasks, things that need you.</p>
      </header>
      <steward-list-states
        .list=${list}
        nothing="Nothing was told yet. A schedule or a task that has something to say says it here."
        .action=${{ label: "New schedule", href: address("schedules", "new") }}
        @retry=${() => this.fetch()}
      ></steward-list-states>
      ${listed.is === "here"
        ? repeat(
            all,
            (told) => told.seq,
            (told) => html`<steward-notice-line .told=${told} .fresh=${told.seq > newest || this.fresh.has(told.seq)}></steward-notice-line>`,
          )
        : nothing}
      ${this.more ? html`<button class="more" @click=${() => this.fetch(last)}>Show older ones</button>` : nothing}
    </div>`;
  }
}
