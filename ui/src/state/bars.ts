// Usage as bars: one for each day, stacked by model, on a scale that ends at a round number.
import type { DayUsage, ModelUsage } from "../gateway/answers";

export type Measure = "tokens" | "cost";

/** So many models have a colour of their own; the rest share the last. */
export const COLOURS = 5;

export interface Part {
  readonly model: string;
  /** Which colour, from 1. */
  readonly colour: number;
  readonly value: number;
  /** Where it begins: the sum of the parts below it. */
  readonly from: number;
}

export interface Bar {
  readonly day: string;
  readonly total: number;
  readonly parts: readonly Part[];
}

export interface Chart {
  readonly bars: readonly Bar[];
  /** The models, the most used first, with what they add up to. */
  readonly models: readonly (ModelUsage & { colour: number })[];
  /** The end of the scale, and its lines. */
  readonly top: number;
  readonly ticks: readonly number[];
}

export function chart(days: readonly DayUsage[], measure: Measure): Chart {
  const models = [...totals(days)]
    .sort((a, b) => valueOf(b, measure) - valueOf(a, measure) || a.model.localeCompare(b.model))
    .map((usage, index) => ({ ...usage, colour: Math.min(index + 1, COLOURS) }));
  const bars = days.map((day): Bar => {
    let from = 0;
    const parts = models.flatMap(({ model, colour }): Part[] => {
      const used = day.models.find((each) => each.model === model);
      const value = used ? valueOf(used, measure) : 0;
      if (value === 0) return [];
      from += value;
      return [{ model, colour, value, from: from - value }];
    });
    return { day: day.day, total: from, parts };
  });
  const step = roundStep(Math.max(0, ...bars.map((bar) => bar.total)) / 4, measure);
  const most = Math.max(...bars.map((bar) => bar.total), step);
  const count = Math.ceil(most / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { bars, models, top: step * count, ticks };
}

export function tokensOf(usage: ModelUsage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** What the days add up to; cost is known as far as prices are. */
export function sum(usages: readonly ModelUsage[]): Omit<ModelUsage, "model"> {
  const add = (pick: (usage: ModelUsage) => number) => usages.reduce((total, usage) => total + pick(usage), 0);
  return {
    calls: add((usage) => usage.calls),
    inputTokens: add((usage) => usage.inputTokens),
    outputTokens: add((usage) => usage.outputTokens),
    cacheReadTokens: add((usage) => usage.cacheReadTokens),
    cacheWriteTokens: add((usage) => usage.cacheWriteTokens),
    cost: usages.every((usage) => usage.cost === null) ? null : add((usage) => usage.cost ?? 0),
  };
}

function totals(days: readonly DayUsage[]): ModelUsage[] {
  const byModel = new Map<string, ModelUsage[]>();
  for (const usage of days.flatMap((day) => day.models)) byModel.set(usage.model, [...(byModel.get(usage.model) ?? []), usage]);
  return [...byModel].map(([model, usages]) => ({ model, ...sum(usages) }));
}

function valueOf(usage: ModelUsage, measure: Measure): number {
  return measure === "cost" ? (usage.cost ?? 0) : tokensOf(usage);
}

/** The next of 1, 2, 2.5, 5, 10, … that is not less. Tokens come whole. */
function roundStep(least: number, measure: Measure): number {
  if (least <= 0) return measure === "cost" ? 0.01 : 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return measure === "tokens" ? Math.max(1, Math.ceil(step * power)) : step * power;
}
