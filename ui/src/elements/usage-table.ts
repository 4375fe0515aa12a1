// The same numbers as a table: for each model, or for each day and model.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { ModelUsage } from "../gateway/answers";
import { money } from "../state/numbers";
import { colours } from "../style/chart";
import { controls } from "../style/shared";

export interface UsageRow extends ModelUsage {
  /** The day, where the table has days. */
  readonly day?: string;
  readonly colour?: number;
}

@customElement("steward-usage-table")
export class UsageTable extends LitElement {
  @property({ attribute: false }) rows: readonly UsageRow[] = [];
  @property() caption = "";
  @property() currency = "USD";

  static override styles = [
    controls,
    colours,
    css`
      :host {
        display: block;
      }
      .scroll {
        overflow-x: auto;
        border-radius: var(--radius-small);
      }
      table {
        width: 100%;
        border-collapse: collapse;
        font-variant-numeric: tabular-nums;
        font-size: 14px;
      }
      caption {
        text-align: left;
      }
      th,
      td {
        padding: 6px 8px;
        text-align: right;
        border-bottom: 1px solid var(--line);
        white-space: nowrap;
      }
      thead th {
        font-weight: 400;
        color: var(--text-soft);
        font-size: var(--small-size);
      }
      th:first-child,
      .name {
        text-align: left;
        font-weight: 400;
        white-space: normal;
        overflow-wrap: anywhere;
        min-width: 128px;
      }
      .model {
        display: flex;
        align-items: center;
        gap: 8px;
      }
    `,
  ];

  override render() {
    const days = this.rows.some((row) => row.day !== undefined);
    const number = (value: number) => html`<td>${value.toLocaleString("en")}</td>`;
    return html`<div class="scroll" role="region" aria-label=${this.caption} tabindex="0"><table>
      <caption class="unseen">
        ${this.caption}
      </caption>
      <thead>
        <tr>
          ${days ? html`<th scope="col">Day</th>` : nothing}
          <th scope="col" class="name">Model</th>
          <th scope="col">Calls</th>
          <th scope="col">Cost</th>
          <th scope="col">Read</th>
          <th scope="col">Written</th>
          <th scope="col">From cache</th>
          <th scope="col">Into cache</th>
        </tr>
      </thead>
      <tbody>
        ${this.rows.map(
          (row) =>
            html`<tr>
              ${days ? html`<td class="name">${row.day}</td>` : nothing}
              <th scope="row" class="name"><span class="model">${row.colour ? html`<i class="c${row.colour}"></i>` : nothing}<span>${row.model}</span></span></th>
              ${number(row.calls)}
              <td>${row.cost === null ? html`<span class="faint">unknown</span>` : money(row.cost, this.currency)}</td>
              ${number(row.inputTokens)} ${number(row.outputTokens)} ${number(row.cacheReadTokens)} ${number(row.cacheWriteTokens)}
            </tr>`,
        )}
      </tbody>
    </table></div>`;
  }
}
