import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_TIME, tookMs, type When, whenOf, written } from "./when";

test("a form becomes what is sent, and nothing while it is not filled in", () => {
  const check = (when: Partial<When>, expected: unknown) => assert.deepEqual(written({ ...NO_TIME, ...when }), expected);
  check({ phrase: "  every weekday at 9 " }, "every weekday at 9");
  check({ phrase: "  " }, undefined);
  check({ mode: "once", at: "" }, undefined);
  check({ mode: "once", at: "2027-03-03T09:00" }, { kind: "at", at: new Date("2027-03-03T09:00").toISOString() });
  check({ mode: "every", every: "90", unit: "minutes" }, { kind: "every", everyMs: 5_400_000 });
  check({ mode: "every", every: "0" }, undefined);
  check({ mode: "every", every: "often" }, undefined);
  check({ mode: "cron", expr: " 0 9 * * 1-5 " }, { kind: "cron", expr: "0 9 * * 1-5" });
  check({ mode: "cron", expr: "0 9 * * *", zone: "Europe/Berlin" }, { kind: "cron", expr: "0 9 * * *", tz: "Europe/Berlin" });
  check({ mode: "cron", zone: "Europe/Berlin" }, undefined);
});

test("a schedule becomes a form that says the same", () => {
  const schedules = [
    { kind: "at", at: "2027-03-03T09:00:00.000Z" },
    { kind: "every", everyMs: 3_600_000 },
    { kind: "every", everyMs: 172_800_000 },
    { kind: "every", everyMs: 90_000 },
    { kind: "cron", expr: "0 9 * * MON-FRI" },
    { kind: "cron", expr: "0 9 * * *", tz: "Europe/Berlin" },
  ] as const;
  for (const schedule of schedules) assert.deepEqual(written(whenOf(schedule)), schedule);
  assert.deepEqual([whenOf(schedules[1]).every, whenOf(schedules[1]).unit], ["1", "hours"]);
  assert.deepEqual([whenOf(schedules[2]).every, whenOf(schedules[2]).unit], ["2", "days"]);
});

test("a firing took as long as it ran", () => {
  const firing = {
    slot: "2026-01-06T08:00:00Z",
    firedAt: "2026-01-06T08:00:01Z",
    lateMs: 1000,
    outcome: "completed",
    note: null,
    endedAt: "2026-01-06T08:00:09Z",
    runId: "r",
  };
  assert.equal(tookMs(firing), 8000);
  assert.equal(tookMs({ ...firing, endedAt: null, outcome: null }), undefined);
  assert.equal(tookMs({ ...firing, outcome: "skipped" }), undefined);
});
