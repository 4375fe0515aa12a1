// Usage as bars.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DayUsage, ModelUsage } from "../gateway/answers";
import { chart, COLOURS, type Measure, sum } from "./bars";

const used = (model: string, inputTokens: number, cost: number | null = null): ModelUsage => ({
  model,
  calls: 1,
  inputTokens,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost,
});
const day = (name: string, ...models: ModelUsage[]): DayUsage => ({ day: name, models });

test("days are stacked by model, the most used at the bottom", () => {
  const { bars, models } = chart([day("1", used("a", 10), used("b", 30)), day("2"), day("3", used("a", 5))], "tokens");
  assert.deepEqual(bars, [
    {
      day: "1",
      total: 40,
      parts: [
        { model: "b", colour: 1, value: 30, from: 0 },
        { model: "a", colour: 2, value: 10, from: 30 },
      ],
    },
    { day: "2", total: 0, parts: [] },
    { day: "3", total: 5, parts: [{ model: "a", colour: 2, value: 5, from: 0 }] },
  ]);
  assert.deepEqual(
    models.map(({ model, calls, inputTokens }) => [model, calls, inputTokens]),
    [
      ["b", 1, 30],
      ["a", 2, 15],
    ],
  );
});

test("models beyond the colours share the last", () => {
  const many = Array.from({ length: COLOURS + 2 }, (_, index) => used(`m${index}`, 100 - index));
  assert.deepEqual(
    chart([day("1", ...many)], "tokens").models.map((model) => model.colour),
    [1, 2, 3, 4, 5, 5, 5],
  );
});

test("the scale ends at a round number that is not less than the highest bar", () => {
  const check = (measure: Measure, value: number, ticks: number[]) => {
    const drawn = chart([day("1", used("a", measure === "tokens" ? value : 0, value))], measure);
    assert.deepEqual(drawn.ticks.map((tick) => Number(tick.toPrecision(6))), ticks, `${value}`);
    assert.equal(drawn.top, drawn.ticks.at(-1));
    assert.ok(drawn.top >= value);
  };
  check("tokens", 0, [0, 1]);
  check("tokens", 3, [0, 1, 2, 3]);
  check("tokens", 4, [0, 1, 2, 3, 4]);
  check("tokens", 1000, [0, 250, 500, 750, 1000]);
  check("tokens", 1001, [0, 500, 1000, 1500]);
  check("cost", 0, [0, 0.01]);
  check("cost", 0.0003, [0, 0.0001, 0.0002, 0.0003]);
  check("cost", 0.3, [0, 0.1, 0.2, 0.3]);
});

test("cost is the sum of what is known, and unknown where nothing is", () => {
  const check = (costs: (number | null)[], expected: number | null) =>
    assert.equal(sum(costs.map((cost) => used("a", 1, cost))).cost, expected);
  check([null, null], null);
  check([1, null], 1);
  check([1, 2], 3);
  check([], null);
});
