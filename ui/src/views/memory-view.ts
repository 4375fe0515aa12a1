// Memory: search it, look through its files, and change one.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "../elements/list-states";
import "../elements/memory-files";
import "../elements/memory-results";
import type { MemoryFile, MemoryHit } from "../gateway/answers";
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

@customElement("steward-memory-view")
export class MemoryView extends LitElement {
  @property({ attribute: false }) house!: House;
  /** The file that is open, maybe with lines. */
  @property() file?: string;
  @state() private files: Loadable<readonly MemoryFile[]> = { is: "loading" };
  @state() private search = "";
  @state() private hits: Loadable<readonly MemoryHit[]> = { is: "loading" };
  @state() private unsaved = keptPaths();
  private typing?: ReturnType<typeof setTimeout>;

  static override styles = [
    controls,
    viewPage,
    rooms,
    beside,
    css`
      input[type="search"] {
        margin-bottom: 16px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.fetch();
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

  private async find(): Promise<void> {
    const query = this.search.trim();
    if (!query) return;
    const hits = await loaded(this.house.call("memory.search", { query, limit: MOST_HITS }).then((answer) => answer.results));
    // Typing is quicker than answers are.
    if (query === this.search.trim()) this.hits = hits;
  }

  override render() {
    const place = this.file ? memoryPlace(this.file) : undefined;
    return html`<div class="page ${place ? "beside" : ""}">
      <header>
        <h1>Memory</h1>
        <p>What Steward remembers, as plain files. You can read and change all of it.</p>
      </header>
      <div class="list">
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
    return html`<div class="unseen" role="status">${hits.is === "here" ? `${count(hits.value.length, "place")} found` : ""}</div>
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
