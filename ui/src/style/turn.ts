// How a turn looks.
import { css } from "lit";

export const turn = css`
  :host {
    display: block;
    padding-bottom: 8px;
  }
  .step {
    margin-top: 8px;
  }
  steward-said + .step {
    margin-top: 0;
  }
  steward-tool-line.step {
    margin-top: 2px;
  }
  details.step {
    font-size: 14px;
    color: var(--text-soft);
  }
  summary {
    display: flex;
    align-items: center;
    gap: 6px;
    width: max-content;
    padding: 2px 8px 2px 4px;
    border-radius: var(--radius-small);
    cursor: pointer;
    list-style: none;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  summary:hover {
    background: var(--hover);
  }
  summary svg {
    width: 14px;
    height: 14px;
    transition: transform var(--quick);
  }
  details[open] summary svg {
    transform: rotate(90deg);
  }
  .thought {
    margin: 4px 0 8px 12px;
    padding-left: 12px;
    border-left: 2px solid var(--line);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .end {
    display: flex;
    align-items: flex-start;
    gap: 8px;
    margin-top: 8px;
    font-size: 14px;
  }
  .end > svg {
    margin-top: 3px;
  }
  .end button {
    margin-left: 4px;
  }
  .foot {
    display: flex;
    align-items: center;
    gap: 4px 8px;
    margin: 4px 0 0 -6px;
    opacity: 0;
    transition: opacity var(--quick);
  }
  :host(:hover) .foot,
  :host(:focus-within) .foot,
  :host(:last-of-type) .foot {
    opacity: 1;
  }
  @media (hover: none) {
    .foot {
      opacity: 1;
    }
  }
  .foot button {
    width: 28px;
    height: 28px;
    min-height: 28px;
  }
  .foot svg {
    width: 15px;
    height: 15px;
  }
`;
