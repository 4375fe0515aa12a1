// How a conversation that scrolls looks.
import { css } from "lit";

export const conversation = css`
  :host {
    display: block;
    position: relative;
    min-height: 0;
  }
  .scroller {
    height: 100%;
    overflow-y: auto;
    overflow-anchor: none;
    scrollbar-gutter: stable both-edges;
    overscroll-behavior: contain;
  }
  .content {
    max-width: calc(var(--measure) + 48px);
    margin: 0 auto;
    padding: 16px 24px 8px;
  }
  .older {
    display: flex;
    justify-content: center;
    padding-bottom: 16px;
  }
  steward-said {
    padding-bottom: 8px;
  }
  steward-notice-line {
    margin: 8px 0 16px;
  }
  .pill {
    position: absolute;
    bottom: 12px;
    left: 50%;
    transform: translateX(-50%);
    border-radius: 16px;
    box-shadow: var(--shadow);
    font-size: 14px;
  }
  @media (max-width: 760px) {
    .content {
      padding: 12px 16px 4px;
    }
    .scroller {
      scrollbar-gutter: auto;
    }
  }
`;
