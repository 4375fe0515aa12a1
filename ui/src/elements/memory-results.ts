// What memory has on some words: a piece of a file, and where it stands.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { MemoryHit } from "../gateway/answers";
import { stepAlong } from "../keys";
import { address } from "../router";
import { memoryArgument, pieces } from "../state/editing";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";

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
      a {
        display: block;
        padding: 10px 8px;
        color: var(--text);
        text-decoration: none;
        border-radius: var(--radius-small);
      }
      a:hover {
        background: var(--hover);
      }
      .excerpt {
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 4;
        overflow: hidden;
        white-space: pre-wrap;
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
      ${this.hits.map(({ path, excerpt, lineStart, lineEnd }) => {
        const lines = lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}–${lineEnd}`;
        return html`<li>
          <a href=${address("memory", memoryArgument(path, lineStart, lineEnd))}>
            <span class="excerpt">${marked(excerpt.trim(), this.query)}</span>
            <span class="small faint"><span class="mono">${path}</span> · ${lines}</span>
          </a>
        </li>`;
      })}
    </ul>`;
  }
}

function marked(text: string, query: string) {
  return pieces(text, query).map((piece, index) => (index % 2 === 1 ? html`<mark>${piece}</mark>` : piece));
}
