// The look of the usage chart, and of the colours its models have elsewhere.
import { css } from "lit";

export const colours = css`
  .c1 {
    --colour: var(--chart-1);
  }
  .c2 {
    --colour: var(--chart-2);
  }
  .c3 {
    --colour: var(--chart-3);
  }
  .c4 {
    --colour: var(--chart-4);
  }
  .c5 {
    --colour: var(--chart-5);
  }
  i.c1,
  i.c2,
  i.c3,
  i.c4,
  i.c5 {
    display: inline-block;
    flex: none;
    width: 10px;
    height: 10px;
    border-radius: 2px;
    background: var(--colour);
  }
`;

export const chartLook = css`
  ${colours}
  :host {
    display: block;
  }
  .frame {
    position: relative;
  }
  svg {
    display: block;
    width: auto;
    height: auto;
    border-radius: var(--radius-small);
    touch-action: pan-y;
  }
  .part {
    fill: var(--colour);
    stroke: none;
  }
  .apart {
    stroke: var(--ground);
    stroke-width: 1;
  }
  .column {
    fill: var(--hover);
    stroke: none;
  }
  .rule {
    stroke: var(--line);
    stroke-width: 1;
  }
  text {
    fill: var(--text-faint);
    stroke: none;
    font: 12px var(--font);
  }
  .tick {
    text-anchor: end;
  }
  .day {
    text-anchor: middle;
  }
  .card {
    position: absolute;
    top: calc(100% - 16px);
    z-index: 2;
    width: 240px;
    display: grid;
    gap: 4px;
    padding: 8px 12px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--raised);
    box-shadow: var(--shadow);
    font-size: var(--small-size);
    line-height: var(--small-line);
    pointer-events: none;
  }
  .key {
    display: flex;
    align-items: center;
    gap: 8px;
    font-variant-numeric: tabular-nums;
  }
  .model {
    flex: 1;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .total {
    padding-top: 4px;
    border-top: 1px solid var(--line);
    color: var(--text-soft);
  }
`;
