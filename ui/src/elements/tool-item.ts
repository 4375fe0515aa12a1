// One tool: what it does, what policy usually says of it and why, and what its calls can see or touch.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { ToolInfo } from "../gateway/answers";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { coded } from "./coded";
import { verdict } from "./verdict";

const LABELS: readonly (readonly [keyof ToolInfo["labels"], string])[] = [
  ["bringsUntrusted", "May bring in words of strangers"],
  ["readsPrivate", "May read what is yours alone"],
  ["actsOutside", "Changes or sends something"],
  ["idempotent", "Does no harm when repeated"],
];

@customElement("steward-tool-item")
export class ToolItem extends LitElement {
  @property({ attribute: false }) tool!: ToolInfo;

  static override styles = [
    controls,
    rooms,
    css`
      :host {
        display: block;
      }
      .name {
        font-weight: 600;
      }
      p {
        margin: 4px 0 0;
      }
      .description {
        white-space: pre-wrap;
      }
      summary {
        display: list-item;
        color: var(--text-soft);
        font-size: var(--small-size);
        margin-top: 4px;
        width: fit-content;
      }
    `,
  ];

  override render() {
    const { tool } = this;
    const [first = "", ...more] = tool.description.split(/(?<=\.)\s/);
    const labels = LABELS.filter(([label]) => tool.labels[label]).map(([, words]) => words);
    return html`<div class="line">
        <code class="name">${tool.name}</code>
        <span class="push">${verdict(tool.usually)}</span>
      </div>
      <p>${first}</p>
      <p class="small soft">Because ${coded(tool.why)}.</p>
      <p class="small faint">${labels.join(" · ")}</p>
      <details>
        <summary>What the model is told</summary>
        ${more.length > 0 ? html`<p class="small description">${tool.description}</p>` : ""}
        <pre>${JSON.stringify(tool.inputSchema, undefined, 2)}</pre>
      </details>`;
  }
}
