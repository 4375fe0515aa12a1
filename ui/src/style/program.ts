// How a program looks.
import { css } from "lit";

export const program = css`
  :host {
    display: block;
  }
  section {
    border: 1px solid var(--line);
    border-radius: var(--radius);
    overflow: hidden;
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-start;
    gap: 0 6px;
    width: 100%;
    min-height: 36px;
    padding: 4px 12px 4px 8px;
    border: 0;
    border-radius: 0;
    background: none;
    text-align: left;
    font-size: 14px;
    color: var(--text-soft);
  }
  .head:focus-visible {
    outline-offset: -2px;
  }
  .head b {
    font-weight: 600;
    color: var(--text);
  }
  .head svg {
    width: 14px;
    height: 14px;
    transition: transform var(--quick);
  }
  .head[aria-expanded="true"] > svg:first-child {
    transform: rotate(90deg);
  }
  .state {
    display: inline-flex;
    align-items: center;
    gap: 3px;
  }
  .state svg {
    stroke-width: 2.25;
  }
  .part {
    padding: 8px 12px;
    border-top: 1px solid var(--line);
    font-size: 14px;
    line-height: 20px;
  }
  steward-code-listing {
    border-top: 1px solid var(--line);
  }
  ol,
  ul {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .calls {
    padding: 4px 4px 4px 8px;
  }
  .asked {
    margin: 4px 0 4px 4px;
  }
  .calls li {
    content-visibility: auto;
    contain-intrinsic-size: auto 28px;
  }
  .problems li {
    display: flex;
    align-items: baseline;
    gap: 8px;
    padding: 2px 0;
    color: var(--text-soft);
    white-space: pre-line;
    overflow-wrap: anywhere;
  }
  .problems li span {
    min-width: 0;
  }
  .at {
    flex: none;
    min-height: 20px;
    margin-left: -9px;
  }
  .lead {
    margin: 0 0 4px;
  }
  summary,
  .name {
    color: var(--text-faint);
    font-size: 12px;
  }
  summary {
    width: max-content;
    cursor: pointer;
  }
  pre {
    margin: 4px 0 0;
    max-height: 320px;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    line-height: 20px;
  }
  .wrong {
    display: flex;
    align-items: flex-start;
    gap: 8px;
    overflow-wrap: anywhere;
  }
  .wrong > svg {
    margin-top: 1px;
  }
`;
