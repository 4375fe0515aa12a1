// What the views of the control room share: sections, rows, chips, facts, and a list with something beside it.
import { css } from "lit";

export const rooms = css`
  section {
    margin-top: 32px;
  }
  section > header {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 12px;
    margin-bottom: 8px;
  }
  section > header p {
    margin: 0;
    color: var(--text-soft);
  }
  ul.rows {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  ul.rows > li {
    border-bottom: 1px solid var(--line);
    padding: 10px 4px;
    overflow-wrap: anywhere;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 12px;
    align-items: center;
    margin-bottom: 16px;
  }
  .tools select {
    width: auto;
    max-width: 100%;
  }
  .line {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
  }
  .push {
    margin-left: auto;
  }
  .chip {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    padding: 0 8px;
    border: 1px solid var(--line);
    border-radius: 12px;
    font-size: var(--small-size);
    line-height: 22px;
    background: var(--ground);
    color: var(--text-soft);
    white-space: nowrap;
  }
  .chip svg,
  .state svg {
    width: 14px;
    height: 14px;
  }
  .chip.good {
    color: var(--good);
  }
  .chip.warn {
    color: var(--warn);
    border-color: var(--warn-line);
    background: var(--warn-ground);
  }
  .chip.bad {
    color: var(--bad);
  }
  .state {
    display: inline-flex;
    align-items: center;
    gap: 6px;
  }
  dl.facts {
    display: grid;
    grid-template-columns: minmax(96px, max-content) minmax(0, 1fr);
    gap: 8px 24px;
    margin: 0;
  }
  dl.facts dt {
    color: var(--text-soft);
  }
  dl.facts dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  summary {
    cursor: pointer;
    border-radius: var(--radius-small);
  }
  pre {
    margin: 8px 0 0;
    padding: 8px 12px;
    max-height: 320px;
    overflow: auto;
    border-radius: var(--radius);
    background: var(--sunken);
    line-height: 20px;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  label.field {
    display: grid;
    gap: 4px;
    font-size: 14px;
    color: var(--text-soft);
  }
  label.field > * {
    color: var(--text);
    font-size: var(--text-size);
  }
  .told {
    display: flex;
    gap: 8px;
    margin: 4px 0;
  }
  .told svg {
    margin-top: 3px;
  }
`;

/** A list, and beside it what was chosen from it. Where there is little room, only what was chosen. */
export const beside = css`
  .page.beside {
    max-width: 1280px;
    display: grid;
    grid-template-columns: minmax(280px, 2fr) minmax(0, 3fr);
    gap: 0 32px;
    align-items: start;
  }
  .page.beside > header {
    grid-column: 1 / -1;
  }
  .back {
    display: none;
  }
  @media (max-width: 1080px) {
    .page.beside {
      display: block;
      max-width: 880px;
    }
    .page.beside > header,
    .page.beside > .list {
      display: none;
    }
    .page.beside .back {
      display: inline-block;
      margin-bottom: 8px;
    }
  }
`;
