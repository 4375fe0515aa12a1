// Styles that many elements take: controls, focus, the four states of a list, quiet text.
import { css } from "lit";

export const controls = css`
  :host {
    box-sizing: border-box;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  :focus-visible {
    outline: 2px solid var(--focus);
    outline-offset: 2px;
  }
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-height: 32px;
    padding: 4px 12px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--raised);
    cursor: pointer;
    transition: background var(--quick);
  }
  button:hover:not(:disabled) {
    background: var(--hover);
  }
  button:disabled {
    cursor: default;
    opacity: 0.55;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
  }
  button.primary:hover:not(:disabled) {
    background: var(--accent-hover);
  }
  button.bare {
    border-color: transparent;
    background: none;
    color: var(--text-soft);
  }
  button.bare:hover:not(:disabled) {
    background: var(--hover);
    color: var(--text);
  }
  button.icon {
    padding: 0;
    width: 32px;
    height: 32px;
    flex: none;
  }
  button.small {
    min-height: 24px;
    padding: 0 8px;
    font-size: var(--small-size);
    line-height: var(--small-line);
    border-radius: var(--radius-small);
  }
  input[type="text"],
  input[type="search"],
  input[type="password"],
  select,
  textarea {
    width: 100%;
    min-height: 36px;
    padding: 5px 12px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--ground);
  }
  input::placeholder,
  textarea::placeholder {
    color: var(--text-faint);
    opacity: 1;
  }
  a {
    color: var(--accent);
  }
  code,
  pre,
  .mono {
    font-family: var(--mono);
    font-size: var(--code-size);
  }
  kbd {
    font: 12px/18px var(--font);
    padding: 0 5px;
    border: 1px solid var(--line);
    border-radius: 4px;
    background: var(--sunken);
    color: var(--text-soft);
  }
  h1,
  h2,
  h3 {
    margin: 0;
    font-weight: 600;
    line-height: 1.35;
  }
  h1 {
    font-size: 20px;
  }
  h2 {
    font-size: 16px;
  }
  h3 {
    font-size: 15px;
  }
  svg {
    width: 18px;
    height: 18px;
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .small {
    font-size: var(--small-size);
    line-height: var(--small-line);
  }
  .faint {
    color: var(--text-faint);
  }
  .soft {
    color: var(--text-soft);
  }
  .good {
    color: var(--good);
  }
  .warn {
    color: var(--warn);
  }
  .bad {
    color: var(--bad);
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (pointer: coarse) {
    button {
      min-height: 40px;
    }
    button.icon {
      width: 40px;
      height: 40px;
    }
    button.small {
      min-height: 32px;
    }
    input[type="text"],
    input[type="search"],
    input[type="password"],
    textarea {
      font-size: 16px;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    * {
      animation: none !important;
      transition: none !important;
      scroll-behavior: auto !important;
    }
  }
`;

/** A view that is a page of its own: a heading, a lead, and a body of readable width. */
export const viewPage = css`
  :host {
    display: block;
    height: 100%;
    overflow-y: auto;
  }
  .page {
    max-width: 880px;
    margin: 0 auto;
    padding: 24px 24px 64px;
  }
  .page > header {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 4px 16px;
    margin-bottom: 16px;
  }
  .page > header p {
    margin: 0;
    color: var(--text-soft);
    flex-basis: 100%;
  }
  @media (max-width: 760px) {
    .page {
      padding: 12px 16px 48px;
    }
  }
`;
