// Memory: search it, look through its files, and change one.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { coded } from "../elements/coded";
import "../elements/list-states";
import "../elements/memory-files";
import "../elements/memory-results";
import { KINDS } from "../elements/memory-results";
import "../elements/memory-status";
import type { MemoryFile, MemoryHit, MemoryKind, MemoryStatus } from "../gateway/answers";
import type { House } from "../house";
import { loaded } from "../loading";
import { address } from "../router";
import { memoryPlace } from "../state/editing";
import type { Loadable } from "../state/state";
import { beside, rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";
import { count } from "../words";
import { keptPaths } from "./kept";
import "./memory-sheet";

const MOST_HITS = 30;

/** How often it is asked how far the index has come, while it is made. */
const LOOK_AGAIN_MS = 1000;

@customElement("steward-memory-view")
export class MemoryView extends LitElement {
  @property({ attribute: false }) house!: House;
  /** The file that is open, maybe with lines. */
  @property() file?: string;
  @state() private files: Loadable<readonly MemoryFile[]> = { is: "loading" };
  @state() private search = "";
  @state() private hits: Loadable<readonly MemoryHit[]> = { is: "loading" };
  /** What is to be said of the answer as a whole. */
  @state() private remark = "";
  @state() private kind?: MemoryKind;
  @state() private status?: MemoryStatus;
  @state() private reindexing = false;
  @state() private unsaved = keptPaths();
  private typing?: ReturnType<typeof setTimeout>;
  private looking?: ReturnType<typeof setTimeout>;

  static override styles = [
    controls,
    viewPage,
    rooms,
    beside,
    css`
      input[type="search"] {
        margin-bottom: 16px;
      }
      .tools {
        margin-bottom: 8px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.fetch();
    void this.look();
  }

  override disconnectedCallback(): void {
    clearTimeout(this.looking);
    clearTimeout(this.typing);
    super.disconnectedCallback();
  }

  /** Asks how the index is doing, and again for as long as it is being made. */
  private async look(): Promise<void> {
    clearTimeout(this.looking);
    const status = await loaded(this.house.call("memory.status", {}));
    if (!this.isConnected || status.is !== "here") {
      this.reindexing = false;
      return;
    }
    this.status = status.value;
    const { dirty, pending, model } = status.value;
    const underWay = dirty || (pending > 0 && "name" in model);
    if (underWay) this.looking = setTimeout(() => void this.look(), LOOK_AGAIN_MS);
    else if (this.reindexing) {
      this.reindexing = false;
      this.house.say("The index was made anew.", "good");
    }
  }

  private async reindex(): Promise<void> {
    this.reindexing = true;
    const begun = await this.house.attempt(() => this.house.call("memory.reindex", {}));
    if (!begun) this.reindexing = false;
    else this.looking = setTimeout(() => void this.look(), LOOK_AGAIN_MS);
  }

  private async fetch(): Promise<void> {
    const files = await loaded(this.house.call("memory.list", {}).then((answer) => answer.files));
    if (files.is === "here" || this.files.is !== "here") this.files = files;
  }

  private type(text: string): void {
    const wasEmpty = !this.search.trim();
    this.search = text;
    if (wasEmpty) this.hits = { is: "loading" };
    clearTimeout(this.typing);
    this.typing = setTimeout(() => void this.find(), 150);
  }

  private choose(kind: string): void {
    this.kind = (kind || undefined) as MemoryKind | undefined;
    void this.find();
  }

  private async find(): Promise<void> {
    const query = this.search.trim();
    const { kind } = this;
    if (!query) return;
    const found = await loaded(this.house.call("memory.search", { query, kind, limit: MOST_HITS }));
    // Typing is quicker than answers are.
    if (query !== this.search.trim() || kind !== this.kind) return;
    this.hits = found.is === "here" ? { is: "here", value: found.value.results } : found;
    // That there is no model for search by meaning is said above already.
    const remark = found.is === "here" ? (found.value.remark ?? "") : "";
    this.remark = this.status && "missing" in this.status.model && remark.includes(this.status.model.missing) ? "" : remark;
  }

  override render() {
    const place = this.file ? memoryPlace(this.file) : undefined;
    return html`<div class="page ${place ? "beside" : ""}">
      <header>
        <h1>Memory</h1>
        <p>What Steward remembers, as plain files. You can read and change all of it.</p>
      </header>
      <div class="list">
        ${this.status
          ? html`<steward-memory-status
              .status=${this.status}
              .busy=${this.reindexing}
              @reindex=${() => this.reindex()}
            ></steward-memory-status>`
          : nothing}
        <input
          type="search"
          aria-label="Search memory"
          placeholder="Search memory"
          .value=${this.search}
          @input=${(event: InputEvent) => this.type((event.target as HTMLInputElement).value)}
        />
        ${this.search.trim() ? this.results() : this.all(place?.path)}
      </div>
      ${place
        ? html`<div>
            <a class="back" href=${address("memory")}>All files</a>
            <steward-memory-sheet
              .house=${this.house}
              .path=${place.path}
              .lines=${place.lines}
              @saved=${() => this.fetch()}
              @kept=${() => (this.unsaved = keptPaths())}
            ></steward-memory-sheet>
          </div>`
        : nothing}
    </div>`;
  }

  private results() {
    const { hits } = this;
    return html`<div class="tools">
        <select aria-label="Where to search" @change=${(event: Event) => this.choose((event.target as HTMLSelectElement).value)}>
          <option value="" ?selected=${!this.kind}>Everywhere</option>
          ${Object.entries(KINDS).map(([kind, words]) => html`<option value=${kind} ?selected=${kind === this.kind}>${words}</option>`)}
        </select>
        ${hits.is === "here" ? html`<span class="small faint">${count(hits.value.length, "place")}</span>` : nothing}
        ${this.remark ? html`<span class="small soft">${coded(this.remark)}</span>` : nothing}
      </div>
      <div class="unseen" role="status">${hits.is === "here" ? `${count(hits.value.length, "place")} found` : ""}</div>
      <steward-list-states .list=${hits} nothing="Memory has nothing on these words." @retry=${() => this.find()}>
        <button @click=${() => this.type("")}>Show all files</button>
      </steward-list-states>
      ${hits.is === "here"
        ? html`<steward-memory-results .hits=${hits.value} .query=${this.search}></steward-memory-results>`
        : nothing}`;
  }

  private all(current?: string) {
    return html`<steward-list-states
        .list=${this.files}
        nothing="Nothing is remembered yet. Ask Steward to remember something, and it is written here."
        .action=${{ label: "New conversation", href: address("chat") }}
        @retry=${() => this.fetch()}
      ></steward-list-states>
      ${this.files.is === "here"
        ? html`<steward-memory-files .files=${this.files.value} .current=${current} .unsaved=${this.unsaved}></steward-memory-files>`
        : nothing}`;
  }
}
