// How a request to the owner looks: the loudest thing on the page.
import { css } from "lit";

export const card = css`
  :host {
    display: block;
  }
  section {
    padding: 16px;
    border: 1px solid var(--warn-line);
    border-radius: 12px;
    background: var(--warn-ground);
  }
  header {
    display: flex;
    align-items: flex-start;
    gap: 8px;
    margin-bottom: 10px;
  }
  header svg {
    margin-top: 2px;
    color: var(--warn);
  }
  header h2 {
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  header span {
    flex: none;
    margin-top: 1px;
  }
  .from {
    margin: -6px 0 8px 26px;
  }
  .alike {
    margin: 0;
    padding-top: 10px;
    border-top: 1px solid var(--warn-line);
    overflow-wrap: anywhere;
  }
  .one {
    padding: 12px 0;
    border-top: 1px solid var(--warn-line);
  }
  .one[data-refused] steward-approval-call {
    opacity: 0.6;
  }
  .choice {
    display: flex;
    gap: 4px;
    margin-top: 8px;
  }
  .choice button[aria-pressed="true"] {
    border-color: var(--line-strong);
    background: var(--chosen);
    font-weight: 600;
  }
  .choice button[aria-pressed="false"] {
    color: var(--text-soft);
  }
  .choice svg {
    width: 14px;
    height: 14px;
  }
  .forecast {
    margin-top: 12px;
    padding: 10px 12px;
    border: 1px dashed var(--line-strong);
    border-radius: var(--radius);
    overflow-wrap: anywhere;
  }
  .forecast p {
    margin: 0;
  }
  .forecast ol {
    margin: 4px 0;
    padding-left: 24px;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin-top: 14px;
  }
  .buttons button:not(.bare) {
    border-color: var(--line-strong);
    font-weight: 600;
  }
  .buttons .bare {
    padding: 4px 8px;
    font-size: 14px;
  }
  .panel {
    margin-top: 14px;
    font-size: 14px;
  }
  .panel input[type="text"] {
    margin-top: 4px;
  }
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    margin-bottom: 4px;
  }
  .rule {
    display: flex;
    gap: 8px;
    align-items: center;
    padding: 3px 0;
    overflow-wrap: anywhere;
  }
  @media (pointer: coarse) {
    kbd {
      display: none;
    }
  }
`;
