// How the page is divided: the rail beside the view, or above it as a drawer where there is little room.
import { css } from "lit";

export const shell = css`
  .shell {
    display: grid;
    grid-template-columns: var(--rail) minmax(0, 1fr);
    height: 100%;
  }
  steward-rail {
    border-right: 1px solid var(--line);
    min-height: 0;
  }
  main {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
    outline: none;
  }
  .view {
    flex: 1;
    min-height: 0;
    position: relative;
  }
  .bar,
  .veil {
    display: none;
  }
  .grow {
    flex: 1;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-weight: 600;
  }
  .lost {
    padding: 48px 24px;
    text-align: center;
  }
  .skip {
    position: fixed;
    top: -64px;
    left: 8px;
    z-index: 40;
    padding: 8px 12px;
    background: var(--raised);
    border-radius: var(--radius);
  }
  .skip:focus {
    top: 8px;
  }
  .badge {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    padding: 4px 12px;
    border: 1px solid var(--warn-line);
    border-radius: 16px;
    background: var(--warn-ground);
    color: var(--warn);
    flex: none;
    font-size: 14px;
    font-weight: 600;
  }
  .menu {
    position: relative;
  }
  .menu[data-news]::after {
    content: "";
    position: absolute;
    top: 7px;
    right: 7px;
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--accent);
  }
  @media (min-width: 761px) {
    .shell[data-folded] {
      grid-template-columns: minmax(0, 1fr);
    }
    .shell[data-folded] steward-rail {
      display: none;
    }
    .shell[data-folded] main {
      position: relative;
      --head-inset: 56px;
    }
    .shell[data-folded] .bar {
      display: block;
      position: absolute;
      top: 8px;
      left: 12px;
      z-index: 2;
    }
    .bar > :not(.icon) {
      display: none;
    }
  }
  @media (max-width: 760px) {
    .shell {
      grid-template-columns: minmax(0, 1fr);
    }
    steward-rail {
      position: fixed;
      inset: 0 auto 0 0;
      width: min(304px, 84vw);
      z-index: 20;
      transform: translateX(-100%);
      visibility: hidden;
      transition:
        transform var(--quick),
        visibility var(--quick);
    }
    [data-drawer] steward-rail {
      transform: none;
      visibility: visible;
      box-shadow: var(--shadow);
    }
    [data-drawer] .veil {
      display: block;
      position: fixed;
      inset: 0;
      z-index: 19;
      background: var(--veil);
    }
    .bar {
      display: flex;
      align-items: center;
      gap: 8px;
      min-height: 48px;
      padding: 4px 8px;
      border-bottom: 1px solid var(--line);
    }
  }
`;
