// How a conversation is divided.
import { css } from "lit";

export const chat = css`
  :host {
    display: block;
    height: 100%;
  }
  .chat {
    display: flex;
    flex-direction: column;
    height: 100%;
    position: relative;
  }
  .chat[data-new] {
    justify-content: center;
    padding-bottom: 12vh;
  }
  header {
    display: flex;
    align-items: center;
    gap: 12px;
    min-height: 48px;
    padding: 4px 24px 4px var(--head-inset, 24px);
    border-bottom: 1px solid var(--line);
  }
  header h1 {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-size: 15px;
  }
  .model {
    flex: none;
    max-width: 40%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .live {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    color: var(--good);
  }
  .live i {
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: currentColor;
  }
  steward-message-list {
    flex: 1;
  }
  .greeting {
    max-width: calc(var(--measure) + 48px);
    width: 100%;
    margin: 0 auto 12px;
    padding: 0 24px;
    text-align: center;
  }
  .greeting h1 {
    font-size: 24px;
    margin-bottom: 8px;
  }
  .greeting p {
    margin: 0;
  }
  @media (max-width: 760px) {
    .chat[data-new] {
      padding-bottom: 0;
    }
    .chat[data-new] .greeting {
      margin: auto;
    }
    /* The bar above has the title there. */
    header {
      display: none;
    }
  }
`;
