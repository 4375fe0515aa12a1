// Two texts for one file, side by side. Fires `mine` and `theirs`; nothing is written before one was chosen.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icons } from "../icons";
import { difference, nearby, type Row } from "../state/difference";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";

@customElement("steward-memory-conflict")
export class MemoryConflict extends LitElement {
  @property() mine = "";
  @property() theirs = "";

  static override styles = [
    controls,
    rooms,
    css`
      :host {
        display: block;
        margin-bottom: 16px;
        padding: 12px 16px 16px;
        border: 1px solid var(--warn-line);
        border-radius: var(--radius);
      }
      h3 {
        display: flex;
        align-items: center;
        gap: 8px;
        color: var(--warn);
      }
      p {
        margin: 4px 0 12px;
      }
      .sides {
        max-height: 360px;
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
      }
      table {
        width: 100%;
        border-collapse: collapse;
        table-layout: fixed;
      }
      th {
        position: sticky;
        top: 0;
        padding: 4px 8px;
        text-align: left;
        font-size: var(--small-size);
        font-weight: 600;
        background: var(--sunken);
      }
      td {
        padding: 0 8px;
        vertical-align: top;
        font-family: var(--mono);
        font-size: var(--code-size);
        line-height: 20px;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      td + td,
      th + th {
        border-left: 1px solid var(--line);
      }
      td[data-own] {
        background: var(--warn-ground);
      }
      .gap td {
        color: var(--text-faint);
        text-align: center;
      }
      .line {
        margin-top: 12px;
      }
    `,
  ];

  private fire(name: string): void {
    this.dispatchEvent(new Event(name));
  }

  override render() {
    const rows = nearby(difference(this.mine, this.theirs));
    return html`<div role="alert">
        <h3>${icons.warn} The file was changed meanwhile</h3>
        <p>Nothing was written over. Choose which text stays; you can go on editing yours below before you do.</p>
      </div>
      <div class="sides" tabindex="0" aria-label="Both texts where they differ">
        <table>
          <thead>
            <tr>
              <th scope="col">Yours</th>
              <th scope="col">In the file now</th>
            </tr>
          </thead>
          <tbody>
            ${rows.map((row) => line(row))}
          </tbody>
        </table>
      </div>
      <div class="line">
        <button @click=${() => this.fire("mine")}>Keep yours and save</button>
        <button @click=${() => this.fire("theirs")}>Take the file’s text</button>
      </div>`;
  }
}

function line(row?: Row) {
  if (!row) return html`<tr class="gap"><td colspan="2" aria-label="Lines that are the same">⋯</td></tr>`;
  const { mine, theirs } = row;
  return html`<tr>
    <td ?data-own=${mine !== theirs && mine !== undefined}>${mine}</td>
    <td ?data-own=${mine !== theirs && theirs !== undefined}>${theirs}</td>
  </tr>`;
}
