// The files of memory, the newest first. Those with text that was not saved are marked.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { MemoryFile } from "../gateway/answers";
import { icons } from "../icons";
import { stepAlong } from "../keys";
import { address } from "../router";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { bytes, exact } from "../words";

@customElement("steward-memory-files")
export class MemoryFiles extends LitElement {
  @property({ attribute: false }) files: readonly MemoryFile[] = [];
  @property() current?: string;
  /** Files with unsaved text. */
  @property({ attribute: false }) unsaved: ReadonlySet<string> = new Set();

  static override styles = [
    controls,
    rooms,
    css`
      ul.rows > li {
        padding: 0;
      }
      a {
        display: block;
        padding: 8px;
        color: var(--text);
        text-decoration: none;
        border-radius: var(--radius-small);
      }
      a:hover {
        background: var(--hover);
      }
      a[aria-current] {
        background: var(--chosen);
      }
    `,
  ];

  private press(event: KeyboardEvent): void {
    stepAlong(event, [...this.renderRoot.querySelectorAll("a")], this.shadowRoot?.activeElement);
  }

  override render() {
    return html`<ul class="rows" @keydown=${this.press}>
      ${repeat(
        this.files,
        (file) => file.path,
        (file) =>
          html`<li>
            <a href=${address("memory", file.path)} aria-current=${file.path === this.current ? "true" : nothing}>
              <span class="line">
                <span class="mono">${file.path}</span>
                ${this.unsaved.has(file.path) ? html`<span class="chip warn">${icons.edit} Unsaved</span>` : nothing}
              </span>
              <span class="small faint" title=${exact(file.modifiedAt)}>${ago(file.modifiedAt)} · ${bytes(file.bytes)}</span>
            </a>
          </li>`,
      )}
    </ul>`;
  }
}
