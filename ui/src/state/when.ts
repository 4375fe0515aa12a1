// When something is to come due, as a form holds it: in words, once, every so often, or as a cron expression.
import type { Firing, Schedule, Written } from "../gateway/orders";

export type Mode = "words" | "once" | "every" | "cron";

export interface When {
  readonly mode: Mode;
  readonly phrase: string;
  /** As a field for date and time has it, by the browser's clock. */
  readonly at: string;
  readonly every: string;
  readonly unit: Unit;
  readonly expr: string;
  readonly zone: string;
}

export type Unit = "minutes" | "hours" | "days";

const UNITS: readonly [Unit, number][] = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
];

export const NO_TIME: When = { mode: "words", phrase: "", at: "", every: "1", unit: "hours", expr: "", zone: "" };

/** What is sent; nothing while the form is not filled in. */
export function written(when: When): Written | undefined {
  switch (when.mode) {
    case "words":
      return when.phrase.trim() || undefined;
    case "once": {
      const at = new Date(when.at);
      return Number.isNaN(at.getTime()) ? undefined : { kind: "at", at: at.toISOString() };
    }
    case "every": {
      const everyMs = Math.round(Number(when.every) * unitMs(when.unit));
      return everyMs > 0 ? { kind: "every", everyMs } : undefined;
    }
    case "cron": {
      const expr = when.expr.trim();
      const tz = when.zone.trim();
      return expr ? { kind: "cron", expr, ...(tz ? { tz } : {}) } : undefined;
    }
  }
}

/** The form for a schedule that is there. */
export function whenOf(schedule: Schedule): When {
  switch (schedule.kind) {
    case "at":
      return { ...NO_TIME, mode: "once", at: localTime(new Date(schedule.at)) };
    case "every": {
      const [unit, ms] = UNITS.find(([, ms]) => schedule.everyMs % ms === 0) ?? ["minutes", 60_000];
      return { ...NO_TIME, mode: "every", every: String(schedule.everyMs / ms), unit };
    }
    case "cron":
      return { ...NO_TIME, mode: "cron", expr: schedule.expr, zone: schedule.tz ?? "" };
  }
}

function unitMs(unit: Unit): number {
  return UNITS.find(([name]) => name === unit)?.[1] ?? 0;
}

function localTime(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** How long a firing took; nothing while it is under way, or when it never began. */
export function tookMs({ firedAt, endedAt, outcome }: Firing): number | undefined {
  return endedAt && outcome !== "skipped" ? Date.parse(endedAt) - Date.parse(firedAt) : undefined;
}
