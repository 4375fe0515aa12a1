// What memory has on some words: a piece of a file, and where it stands.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { MemoryHit, MemoryKind } from "../gateway/answers";
import { stepAlong } from "../keys";
import { address } from "../router";
import { pieces, placeOfHit } from "../state/editing";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";

/** What a file is, in words. */
export const KINDS: Record<MemoryKind, string> = {
  long_term: "Long term",
  daily: "Day",
  note: "Note",
  extra: "Your folder",
  transcript: "Conversation",
};

@customElement("steward-memory-results")
export class MemoryResults extends LitElement {
  @property({ attribute: false }) hits: readonly MemoryHit[] = [];
  @property() query = "";

  static override styles = [
    controls,
    rooms,
    css`
      ul.rows > li {
        padding: 0;
      }
      .hit {
        display: block;
        padding: 10px 8px;
        color: var(--text);
        text-decoration: none;
        border-radius: var(--radius-small);
      }
      a.hit:hover {
        background: var(--hover);
      }
      .excerpt {
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 4;
        overflow: hidden;
        white-space: pre-wrap;
      }
      .line {
        margin-top: 4px;
      }
      .fit {
        display: inline-flex;
        align-items: center;
        gap: 6px;
        font-variant-numeric: tabular-nums;
      }
      .fit svg {
        width: 40px;
        height: 6px;
        stroke: none;
      }
      .fit .whole {
        fill: var(--line);
      }
      .fit .part {
        fill: var(--accent);
      }
      mark {
        background: none;
        color: inherit;
        font-weight: 600;
        text-decoration: underline;
        text-decoration-color: var(--accent);
      }
    `,
  ];

  private press(event: KeyboardEvent): void {
    stepAlong(event, [...this.renderRoot.querySelectorAll("a")], this.shadowRoot?.activeElement);
  }

  override render() {
    return html`<ul class="rows" @keydown=${this.press}>
      ${this.hits.map((hit) => {
        const place = placeOfHit(hit);
        if (!place) return html`<li><div class="hit">${this.hit(hit)}</div></li>`;
        return html`<li><a class="hit" href=${address(place.view, place.argument)}>${this.hit(hit)}</a></li>`;
      })}
    </ul>`;
  }

  private hit({ path, excerpt, lineStart, lineEnd, kind, score }: MemoryHit) {
    const lines = lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}–${lineEnd}`;
    return html`<span class="excerpt">${marked(excerpt.trim(), this.query)}</span>
      <span class="line small faint">
        ${kind ? html`<span class="chip">${KINDS[kind]}</span>` : nothing}
        ${kind === "transcript" ? nothing : html`<span><span class="mono">${path}</span> · ${lines}</span>`}
        ${score === undefined ? nothing : fit(score)}
      </span>`;
  }
}

/** How well it fits, as a number and as a short bar. */
function fit(score: number) {
  const percent = Math.round(Math.min(1, Math.max(0, score)) * 100);
  return html`<span class="fit push" title="How well it fits, of 100"
    ><span class="unseen">Fits</span> ${percent} <svg viewBox="0 0 40 6" aria-hidden="true" preserveAspectRatio="none">
      <rect class="whole" width="40" height="6" rx="3"></rect>
      <rect class="part" width=${(percent * 40) / 100} height="6" rx="3"></rect></svg
  ></span>`;
}

function marked(text: string, query: string) {
  return pieces(text, query).map((piece, index) => (index % 2 === 1 ? html`<mark>${piece}</mark>` : piece));
}
