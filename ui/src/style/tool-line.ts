// How a tool call looks.
import { css } from "lit";

export const toolLine = css`
  :host {
    display: block;
  }
  .line {
    justify-content: flex-start;
    max-width: 100%;
    min-height: 28px;
    padding: 2px 8px 2px 4px;
    border: 0;
    border-radius: var(--radius-small);
    background: none;
    color: var(--text-soft);
    font-size: 14px;
  }
  .line > svg:first-child {
    width: 14px;
    height: 14px;
    transition: transform var(--quick);
  }
  .line[aria-expanded="true"] > svg:first-child {
    transform: rotate(90deg);
  }
  .line code {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .verb,
  .state,
  .time {
    flex: none;
  }
  .placed {
    width: 100%;
  }
  .place {
    min-width: 2ch;
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .placed .time {
    margin-left: auto;
  }
  .verb code {
    color: var(--text);
  }
  @media (max-width: 760px) {
    .placed {
      flex-wrap: wrap;
      row-gap: 0;
    }
    .placed > code {
      order: 1;
      flex: 1 0 100%;
      padding-left: 44px;
      text-align: left;
    }
  }
  .state {
    display: inline-flex;
    align-items: center;
    gap: 3px;
  }
  .state svg {
    width: 14px;
    height: 14px;
    stroke-width: 2.25;
  }
  .body {
    margin: 4px 0 8px 22px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    overflow: hidden;
  }
  .part {
    padding: 8px 12px;
  }
  .part + .part {
    border-top: 1px solid var(--line);
  }
  .head {
    display: flex;
    justify-content: space-between;
    align-items: center;
    gap: 12px;
    min-height: 24px;
    font-size: 12px;
    color: var(--text-faint);
  }
  pre {
    margin: 0;
    max-height: 320px;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    line-height: 20px;
  }
`;
