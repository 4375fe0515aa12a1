// How searching memory is doing: how much is in the index, how much of it is found by meaning, and the way to make it anew.
// Fires `reindex`.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { MemoryStatus } from "../gateway/answers";
import { icons } from "../icons";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { bytes, count } from "../words";
import { coded } from "./coded";

/** What gets the model that search by meaning needs. */
const FETCH = "steward models fetch";

@customElement("steward-memory-status")
export class MemoryStatusLine extends LitElement {
  @property({ attribute: false }) status!: MemoryStatus;
  /** Whether the index is being made anew. */
  @property({ type: Boolean }) busy = false;

  static override styles = [
    controls,
    rooms,
    css`
      :host {
        display: block;
      }
      .line {
        flex-wrap: nowrap;
        align-items: flex-start;
        justify-content: space-between;
        gap: 12px;
        margin-bottom: 12px;
      }
      .told {
        margin: 0;
        font-size: var(--small-size);
        line-height: var(--small-line);
      }
      .told svg {
        width: 16px;
        height: 16px;
        margin-top: 2px;
      }
      button {
        flex: none;
      }
      progress {
        display: block;
        width: 100%;
        height: 6px;
        margin-top: 6px;
        accent-color: var(--accent);
      }
    `,
  ];

  override render() {
    const { status, busy } = this;
    const meaning = "name" in status.model;
    return html`<div class="line">
      <div class="told soft" role="status">
        ${meaning ? icons.search : icons.memory}
        <div>
          <span title=${`The index has ${bytes(status.bytes)}`}
            >${count(status.chunks, "passage")} in ${count(status.files, "file")}</span
          >
          · ${this.how()} ${this.progress()}
        </div>
      </div>
      <button class="small" ?disabled=${busy} @click=${() => this.dispatchEvent(new Event("reindex"))}>
        ${icons.repeat} ${busy ? "Reindexing…" : "Reindex"}
      </button>
    </div>`;
  }

  private how() {
    const { model, pending, embedded, chunks } = this.status;
    if ("missing" in model) {
      // Where it looked for a model matters only to those who ask.
      const known = model.missing.includes(FETCH);
      return html`<span title=${model.missing}>${coded(known ? `words only: \`${FETCH}\` adds search by meaning` : `words only: ${model.missing}`)}</span>`;
    }
    const name = html`<code>${model.name}</code>`;
    if (pending === 0) return html`found by words and by meaning, with ${name}`;
    return html`${embedded.toLocaleString("en")} of ${chunks.toLocaleString("en")} by meaning so far, with ${name}`;
  }

  private progress() {
    const { model, pending, embedded, chunks } = this.status;
    if ("missing" in model || pending === 0) {
      return this.busy ? html`<progress aria-label="Reindexing"></progress>` : nothing;
    }
    return html`<progress aria-label="Passages found by meaning" .max=${chunks} .value=${embedded}></progress>`;
  }
}
