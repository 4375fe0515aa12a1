// How the palette looks.
import { css } from "lit";

export const palette = css`
  dialog {
    width: min(600px, calc(100vw - 32px));
    max-height: min(480px, 70vh);
    margin: 12vh auto auto;
    padding: 0;
    border: 1px solid var(--line);
    border-radius: 12px;
    background: var(--raised);
    color: var(--text);
    box-shadow: var(--shadow);
    overflow: hidden;
  }
  dialog[open] {
    display: flex;
    flex-direction: column;
  }
  dialog::backdrop {
    background: var(--veil);
  }
  .field {
    display: flex;
    align-items: center;
    gap: 10px;
    padding: 10px 16px;
    border-bottom: 1px solid var(--line);
    color: var(--text-faint);
  }
  input[type="text"] {
    border: 0;
    padding: 0;
    background: none;
    color: var(--text);
    outline: none;
  }
  input[type="text"]:focus-visible {
    outline: none;
  }
  ul {
    list-style: none;
    margin: 0;
    padding: 4px 8px 8px;
    overflow-y: auto;
  }
  .group {
    padding: 10px 8px 2px;
    font-size: 12px;
    font-weight: 600;
    color: var(--text-faint);
  }
  .entry {
    display: flex;
    align-items: center;
    gap: 10px;
    padding: 7px 8px;
    border-radius: var(--radius-small);
    cursor: pointer;
  }
  .entry svg {
    color: var(--text-soft);
  }
  .entry[aria-selected="true"] {
    background: var(--chosen);
  }
  .label {
    flex: 1;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .hint {
    max-width: 45%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .none {
    padding: 16px 8px;
    color: var(--text-soft);
  }
`;
