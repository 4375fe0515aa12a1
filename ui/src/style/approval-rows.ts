// How the calls of a program look that are put to the owner.
import { css } from "lit";

export const approvalRows = css`
  :host {
    display: block;
    border-top: 1px solid var(--warn-line);
  }
  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .row {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0 8px;
    align-items: start;
    border-top: 1px solid var(--line);
    content-visibility: auto;
    contain-intrinsic-size: auto 33px;
  }
  label {
    display: flex;
    align-items: center;
    gap: 8px;
    height: 32px;
    font-size: 14px;
    cursor: pointer;
  }
  input {
    width: 16px;
    height: 16px;
    margin: 0;
    accent-color: var(--accent);
  }
  .number {
    min-width: 2ch;
    text-align: right;
    font-variant-numeric: tabular-nums;
    color: var(--text-soft);
  }
  summary {
    display: flex;
    align-items: flex-start;
    gap: 6px;
    padding: 6px 0;
    font-size: 14px;
    line-height: 20px;
    cursor: pointer;
    list-style: none;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  summary > svg {
    width: 14px;
    height: 14px;
    margin-top: 3px;
    transition: transform var(--quick);
  }
  details[open] > summary > svg:first-child {
    transform: rotate(90deg);
  }
  .said {
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .row[data-refused] .said {
    text-decoration: line-through;
    color: var(--text-soft);
  }
  .flags {
    display: inline-flex;
    align-items: center;
    gap: 3px;
    flex: none;
    margin-left: auto;
    color: var(--bad);
  }
  .flags svg {
    width: 14px;
    height: 14px;
  }
  steward-approval-call {
    padding: 2px 0 12px;
  }
  .rest {
    padding: 8px 0;
    border-top: 1px solid var(--line);
  }
  @media (pointer: coarse) {
    label {
      height: 40px;
    }
    summary {
      padding: 10px 0;
    }
    input {
      width: 20px;
      height: 20px;
    }
  }
`;
