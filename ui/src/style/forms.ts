// How forms of standing orders look: a row of choices, fields in a grid, a switch, and what a schedule would mean.
import { css } from "lit";

export const forms = css`
  form {
    display: grid;
    gap: 16px;
  }
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
    min-width: 0;
  }
  .choices {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    width: max-content;
    max-width: 100%;
    padding: 3px;
    border-radius: var(--radius);
    background: var(--sunken);
  }
  .choices label {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-height: 30px;
    padding: 2px 12px;
    border-radius: var(--radius-small);
    color: var(--text-soft);
    font-size: 14px;
    cursor: pointer;
  }
  .choices label:hover {
    color: var(--text);
  }
  .choices label:has(:checked) {
    background: var(--raised);
    color: var(--text);
    font-weight: 600;
    box-shadow: 0 1px 3px var(--shadow-near);
  }
  .choices label:focus-within {
    outline: 2px solid var(--focus);
    outline-offset: 1px;
  }
  .choices input {
    position: absolute;
    opacity: 0;
    width: 1px;
    height: 1px;
  }
  .choices svg {
    width: 15px;
    height: 15px;
  }
  .pair {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    gap: 12px;
  }
  input[type="number"],
  input[type="datetime-local"] {
    width: 100%;
    min-height: 36px;
    padding: 5px 12px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--ground);
  }
  textarea {
    resize: vertical;
    min-height: 84px;
  }
  .check {
    display: flex;
    gap: 8px;
    align-items: center;
    min-height: 32px;
    font-size: 14px;
  }
  .check input {
    accent-color: var(--accent);
  }
  .hint {
    margin: 4px 0 0;
    font-size: var(--small-size);
    line-height: var(--small-line);
    color: var(--text-faint);
  }
  p.why {
    margin: 0;
  }
  @media (max-width: 480px) {
    .pair {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;

/** On or off, as a switch: a button with 'role="switch"'. */
export const switches = css`
  button.switch {
    position: relative;
    flex: none;
    width: 40px;
    min-width: 40px;
    height: 24px;
    min-height: 24px;
    padding: 0;
    border: 1px solid var(--line-strong);
    border-radius: 12px;
    background: var(--sunken);
  }
  button.switch::after {
    content: "";
    position: absolute;
    top: 3px;
    left: 3px;
    width: 16px;
    height: 16px;
    border-radius: 50%;
    background: var(--line-strong);
    transition: transform var(--quick);
  }
  button.switch[aria-checked="true"] {
    border-color: var(--accent);
    background: var(--accent);
  }
  button.switch[aria-checked="true"]::after {
    transform: translateX(16px);
    background: var(--on-accent);
  }
  button.switch:hover:not(:disabled) {
    filter: brightness(1.08);
  }
  @media (pointer: coarse) {
    button.switch::before {
      content: "";
      position: absolute;
      inset: -9px -4px;
    }
  }
`;
