// How the conversations of the rail look.
import { css } from "lit";

export const sessions = css`
  :host {
    display: block;
  }
  h3 {
    font-size: 12px;
    font-weight: 600;
    color: var(--text-faint);
    padding: 12px 8px 4px;
  }
  ul {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  li {
    position: relative;
    display: flex;
    align-items: center;
    border-radius: var(--radius-small);
  }
  li:hover,
  li:focus-within {
    background: var(--hover);
  }
  li[data-current] {
    background: var(--chosen);
  }
  a {
    flex: 1;
    min-width: 0;
    display: flex;
    align-items: center;
    gap: 6px;
    padding: 6px 8px;
    color: inherit;
    text-decoration: none;
    font-size: 14px;
    line-height: 20px;
    border-radius: var(--radius-small);
  }
  a span {
    flex: 1;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  a svg {
    width: 14px;
    height: 14px;
    color: var(--warn);
  }
  .dot {
    flex: none;
    width: 7px;
    height: 7px;
    border-radius: 50%;
    background: var(--accent);
  }
  li > button {
    opacity: 0;
    width: 28px;
    height: 28px;
    min-height: 28px;
  }
  li:hover > button,
  li > button:focus-visible,
  li > button[aria-expanded="true"] {
    opacity: 1;
  }
  @media (hover: none) {
    li > button {
      opacity: 1;
    }
  }
  .menu {
    position: absolute;
    right: 4px;
    top: 100%;
    z-index: 5;
    display: flex;
    flex-direction: column;
    min-width: 128px;
    padding: 4px;
    background: var(--raised);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    box-shadow: var(--shadow);
  }
  .menu button {
    justify-content: flex-start;
  }
  input[type="text"] {
    min-height: 32px;
    padding: 3px 7px;
    font-size: 14px;
  }
`;
