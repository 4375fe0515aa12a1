// How Markdown looks.
import { css } from "lit";

export const prose = css`
  :host {
    display: block;
    overflow-wrap: anywhere;
  }
  .block > :first-child {
    margin-top: 0;
  }
  .block {
    margin: 0 0 12px;
  }
  .block:last-child {
    margin-bottom: 0;
  }
  .block > :last-child {
    margin-bottom: 0;
  }
  p,
  ul,
  ol,
  blockquote,
  table {
    margin: 0 0 12px;
  }
  ul,
  ol {
    padding-left: 24px;
  }
  li {
    margin: 2px 0;
  }
  li > p {
    margin-bottom: 4px;
  }
  li > ul,
  li > ol {
    margin-bottom: 0;
  }
  h1,
  h2,
  h3,
  h4,
  h5,
  h6 {
    margin: 20px 0 8px;
    font-weight: 600;
    line-height: 1.35;
  }
  h1 {
    font-size: 20px;
  }
  h2 {
    font-size: 18px;
  }
  h3 {
    font-size: 16px;
  }
  h4,
  h5,
  h6 {
    font-size: 15px;
  }
  blockquote {
    padding-left: 12px;
    border-left: 3px solid var(--line);
    color: var(--text-soft);
  }
  hr {
    border: 0;
    border-top: 1px solid var(--line);
    margin: 16px 0;
  }
  code {
    padding: 1px 5px;
    border-radius: 4px;
    background: var(--sunken);
    font-size: 0.88em;
  }
  .code {
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--sunken);
    overflow: hidden;
  }
  .bar {
    display: flex;
    justify-content: space-between;
    align-items: center;
    padding: 2px 4px 2px 12px;
    border-bottom: 1px solid var(--line);
    font-size: 12px;
    color: var(--text-faint);
  }
  .bar button {
    min-height: 24px;
    padding: 0 8px;
    border: 0;
    background: none;
    color: var(--text-soft);
    font-size: 12px;
  }
  pre {
    margin: 0;
    padding: 10px 12px;
    overflow-x: auto;
    line-height: 20px;
    overflow-wrap: normal;
  }
  pre:focus-visible {
    outline-offset: -2px;
  }
  pre code {
    padding: 0;
    background: none;
    font-size: var(--code-size);
  }
  table {
    display: block;
    max-width: 100%;
    overflow-x: auto;
    border-collapse: collapse;
    font-size: 14px;
  }
  th,
  td {
    padding: 5px 12px;
    border: 1px solid var(--line);
    text-align: left;
    overflow-wrap: normal;
  }
  th {
    background: var(--sunken);
    font-weight: 600;
  }
  [align="right"] {
    text-align: right;
  }
  [align="center"] {
    text-align: center;
  }
  li:has(> input[type="checkbox"]) {
    list-style: none;
    margin-left: -20px;
  }
`;
