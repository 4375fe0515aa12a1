// Audit: everything that happened, the newest first, and whether the log is still as it was written.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import "../elements/audit-event";
import "../elements/list-states";
import type { AuditEvent, Verified } from "../gateway/answers";
import type { House } from "../house";
import { icons } from "../icons";
import { stepAlong } from "../keys";
import { loaded } from "../loading";
import { address } from "../router";
import { KINDS } from "../state/audit";
import type { Loadable, State } from "../state/state";
import { Watch } from "../state/store";
import { rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";
import { count } from "../words";

const PAGE = 100;

@customElement("steward-audit-view")
export class AuditView extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private events: Loadable<readonly AuditEvent[]> = { is: "loading" };
  @state() private more = false;
  @state() private kind = "";
  @state() private session = "";
  @state() private fetching = false;
  @state() private verified?: Loadable<Verified>;
  private sessions?: Watch<State["sessions"]>;
  /** The end of the log, and where it was when the list was fetched. */
  private end?: Watch<number>;
  private read = 0;

  static override styles = [
    controls,
    viewPage,
    rooms,
    css`
      ul.rows > li {
        padding: 0;
      }
      .tools select {
        flex: 0 1 220px;
        min-width: 0;
      }
      .result {
        min-height: 24px;
        margin-bottom: 16px;
        overflow-wrap: anywhere;
      }
      .result:empty {
        display: none;
      }
      .end {
        display: grid;
        place-items: center;
        padding: 16px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.sessions ??= new Watch(this, this.house.store, (state) => state.sessions);
    this.end ??= new Watch(this, this.house.store, (state) => state.seq ?? 0);
    void this.fetch();
  }

  private async fetch(before?: number): Promise<void> {
    const { kind, session } = this;
    this.fetching = true;
    if (before === undefined) this.read = this.house.store.state.seq ?? 0;
    const params = { before, limit: PAGE, kind: kind || undefined, sessionKey: session || undefined };
    const page = await loaded(this.house.call("audit.list", params));
    // The filter may be another by now.
    if (kind !== this.kind || session !== this.session) return;
    this.fetching = false;
    const here = before !== undefined && this.events.is === "here" ? this.events.value : [];
    if (page.is === "here") {
      this.events = { is: "here", value: [...here, ...page.value.events] };
      this.more = page.value.more;
    } else if (here.length === 0) this.events = page as Loadable<never>;
    else this.house.say(page.is === "failed" ? page.why : "", "bad");
  }

  private filter(which: "kind" | "session", event: Event): void {
    this[which] = (event.target as HTMLSelectElement).value;
    this.events = { is: "loading" };
    void this.fetch();
  }

  private async verify(): Promise<void> {
    this.verified = { is: "loading" };
    this.verified = await loaded(this.house.call("audit.verify", {}));
  }

  private press(event: KeyboardEvent): void {
    stepAlong(event, [...this.renderRoot.querySelectorAll<HTMLElement>("steward-audit-event")], event.target);
  }

  private get titles(): ReadonlyMap<string, string> {
    const sessions = this.sessions?.value;
    return new Map(sessions?.is === "here" ? sessions.value.map((each) => [each.sessionKey, each.title || "Untitled"]) : []);
  }

  override render() {
    const { titles, events } = this;
    const shown = events.is === "here" ? events.value : [];
    const last = shown.at(-1);
    return html`<div class="page">
      <header>
        <h1>Audit</h1>
        <p>Everything that happened, the newest first. Each entry seals the one before, so a change would show.</p>
      </header>
      <div class="tools">
        <select aria-label="Kind" @change=${(event: Event) => this.filter("kind", event)}>
          <option value="">Everything</option>
          ${KINDS.map(([kind, words]) => html`<option value=${kind}>${words}</option>`)}
        </select>
        <select aria-label="Conversation" @change=${(event: Event) => this.filter("session", event)}>
          <option value="">All conversations</option>
          ${[...titles].map(([key, title]) => html`<option value=${key}>${title}</option>`)}
        </select>
        <button class="push" ?disabled=${this.verified?.is === "loading"} @click=${this.verify}>${icons.audit} Verify</button>
      </div>
      <div class="result" role="status">${this.result()}</div>
      <steward-list-states
        .list=${events}
        nothing=${this.kind || this.session ? "Nothing of this kind happened there." : "Nothing has happened yet. Say something and it is written here."}
        .action=${this.kind || this.session ? undefined : { label: "New conversation", href: address("chat") }}
        @retry=${() => this.fetch()}
      ></steward-list-states>
      ${events.is === "here" && (this.end?.value ?? 0) > this.read
        ? html`<div class="end"><button class="small" @click=${() => this.fetch()}>${icons.down} Show what happened since</button></div>`
        : nothing}
      <ul class="rows" aria-busy=${this.fetching} @keydown=${this.press}>
        ${repeat(
          shown,
          (event) => event.seq,
          (event) =>
            html`<li><steward-audit-event .event=${event} .conversation=${titles.get(event.session) ?? ""}></steward-audit-event></li>`,
        )}
      </ul>
      ${this.more && last
        ? html`<div class="end">
            <button ?disabled=${this.fetching} @click=${() => this.fetch(last.seq)}>${this.fetching ? "Fetching…" : "Show older"}</button>
          </div>`
        : nothing}
    </div>`;
  }

  private result() {
    const { verified } = this;
    if (!verified) return nothing;
    if (verified.is === "loading") return html`<span class="soft">Reading the whole log…</span>`;
    if (verified.is === "failed") return html`<span class="state bad">${icons.cross} ${verified.why}</span>`;
    const { value } = verified;
    return value.whole
      ? html`<span class="state good">${icons.check} Whole: ${count(value.events, "event")}, all as they were written.</span>
          <div class="small faint mono">${value.head}</div>`
      : html`<span class="state bad">${icons.cross} Broken at event ${value.seq}: ${value.reason}</span>
          <div class="small">From there on, do not rely on the log. A backup from before has what was written.</div>`;
  }
}
