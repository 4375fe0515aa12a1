// How the field for messages looks.
import { css } from "lit";

export const composer = css`
  :host {
    display: block;
    width: 100%;
    max-width: calc(var(--measure) + 48px);
    margin: 0 auto;
    padding: 4px 24px calc(4px + env(safe-area-inset-bottom));
  }
  .frame {
    position: relative;
    display: flex;
    align-items: flex-end;
    gap: 6px;
    padding: 6px 6px 6px 8px;
    border: 1px solid var(--line-strong);
    border-radius: 16px;
    background: var(--raised);
  }
  .frame:focus-within {
    outline: 2px solid var(--focus);
    outline-offset: 1px;
    border-color: transparent;
  }
  textarea {
    flex: 1;
    field-sizing: content;
    min-height: 32px;
    max-height: 40vh;
    padding: 4px 8px;
    border: 0;
    background: none;
    outline: none;
    resize: none;
  }
  textarea:focus-visible {
    outline: none;
  }
  .send,
  .stop {
    border-radius: 10px;
  }
  .note {
    min-height: 20px;
    padding: 2px 8px 0;
    text-align: center;
    font-size: 12px;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  ul {
    position: absolute;
    left: 0;
    right: 0;
    bottom: calc(100% + 6px);
    margin: 0;
    padding: 4px;
    list-style: none;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--raised);
    box-shadow: var(--shadow);
    font-size: 14px;
  }
  li {
    padding: 5px 8px;
    border-radius: var(--radius-small);
    cursor: pointer;
  }
  li[aria-selected="true"] {
    background: var(--chosen);
  }
  b {
    display: inline-block;
    min-width: 80px;
    font-weight: 600;
  }
  @media (pointer: coarse) {
    textarea {
      min-height: 40px;
      padding: 8px;
    }
  }
  @media (max-width: 760px) {
    :host {
      padding: 4px 12px calc(4px + env(safe-area-inset-bottom));
    }
  }
`;
