// What a task's events add up to.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Task, TaskStatus } from "../gateway/orders";
import type { TaskEvent } from "../gateway/tasks";
import { NOTHING_TOLD, seqOf, standing, tell, type Timeline } from "./timeline";

const preview = { title: "Run a command", details: "ls", reason: "" };
const asked = (id: string): TaskEvent => ({ type: "approval_request", id, toolPath: "bash", preview });
const done: TaskEvent = { type: "tool_result", id: "c1", toolPath: "bash", status: "succeeded", preview: "a.txt" };
const began: TaskEvent = { type: "status", message: "started" };
const over: TaskEvent = { type: "status", message: "run finished", outcome: "completed" };
const thinking: TaskEvent = { type: "status", message: "thinking" };

function told(...events: [string, TaskEvent][]): Timeline {
  return events.reduce((timeline, [id, event]) => tell(timeline, id, event), NOTHING_TOLD);
}

test("a call is one line however often it is told of", () => {
  const timeline = told(["1", began], ["2", thinking], ["3", asked("c1")], ["4", { type: "approval_resolved", id: "c1", decision: "approved" }], ["5", done]);
  assert.deepEqual(timeline, {
    last: "5",
    thinking: false,
    lines: [
      { key: "1", at: undefined, kind: "began" },
      { key: "3", at: undefined, kind: "call", call: "c1", tool: "bash", title: "Run a command", details: "ls", stage: "succeeded", output: "a.txt" },
    ],
  });
});

test("a call that never asked has its line from the result", () => {
  const [line] = told(["7", done]).lines;
  assert.deepEqual(line, { key: "7", at: undefined, kind: "call", call: "c1", tool: "bash", output: "a.txt", stage: "succeeded" });
});

test("what was told before changes nothing", () => {
  const check = (last: string, id: string, fresh: boolean) => {
    const before = told([last, began]);
    assert.equal(tell(before, id, thinking) !== before, fresh, `${id} after ${last}`);
  };
  check("3", "3", false);
  check("3", "2", false);
  check("3", "3.1", false);
  check("3.1", "3.1", false);
  check("3.1", "3.2", true);
  check("3.9", "3.10", true);
  check("3.2", "3", true);
  check("9", "10", true);
});

test("thinking is over when anything else happens", () => {
  const check = (event: TaskEvent, expected: boolean) => assert.equal(told(["1", thinking], ["2", event]).thinking, expected);
  check(thinking, true);
  check({ type: "agent_message", text: "Hm" }, false);
  check({ type: "completed" }, false);
});

test("a task stands as it was told, else as the list says", () => {
  const check = (listed: TaskStatus, events: TaskEvent[], expected: TaskStatus) => {
    const timeline = told(...events.map((event, index): [string, TaskEvent] => [String(index + 1), event]));
    assert.equal(standing({ status: listed } as Task, timeline), expected);
  };
  check("queued", [], "queued");
  check("completed", [], "completed");
  check("queued", [began], "running");
  check("cancelled", [began], "cancelled");
  check("running", [began, asked("c1")], "waiting");
  check("waiting", [began, asked("c1"), { type: "approval_resolved", id: "c1", decision: "denied" }], "running");
  check("running", [began, asked("c1"), asked("c2"), done], "waiting");
  check("running", [began, { type: "completed" }], "completed");
  check("running", [began, { type: "error", error: "cancelled" }], "cancelled");
  check("running", [began, { type: "error", error: "no key" }], "failed");
});

test("a standing order waits between its runs, and ends with a reason", () => {
  const check = (events: TaskEvent[], expected: TaskStatus) => {
    const timeline = told(...events.map((event, index): [string, TaskEvent] => [String(index + 1), event]));
    assert.equal(standing({ status: "active" } as Task, timeline), expected);
  };
  check([], "active");
  check([began], "running");
  check([began, over], "active");
  check([began, asked("c1"), over, began], "running");
  check([began, over, began, over, { type: "completed", reason: "the parcel is here" }], "completed");
  assert.deepEqual(told(["1", { ...over, error: "no key" }]).lines, [{ key: "1", at: undefined, kind: "paused", error: "no key" }]);
  const [end] = told(["1", { type: "completed", reason: "enough" }]).lines;
  assert.deepEqual(end, { key: "1", at: undefined, kind: "ended", reason: "enough" });
});

test("an id stands for a place in the log", () => {
  assert.equal(seqOf("12"), 12);
  assert.equal(seqOf("12.3"), 12);
});

test("a program is told as it was written, what it asks for, and how it ended", () => {
  const wrote = (id: string): TaskEvent => ({ type: "code_generated", id, code: "return 1" });
  const asks = (id: string): TaskEvent => ({ type: "approval_request", id, toolPath: "bash", preview, program: "p2" });
  const over = (id: string, more: object): TaskEvent => ({ type: "tool_result", id, toolPath: "run_code", status: "succeeded", preview: "1:1 TS1 no", ...more });
  const receipts = [{ id: "c1", status: "succeeded" }, { id: "c2", status: "denied" }];
  const { lines } = told(["1", wrote("p1")], ["2", over("p1", { receipts: [] })], ["3", wrote("p2")], ["4.1", asks("c1")], ["4", asks("c2")], ["5", done], ["6", over("p2", { receipts, result: [1] })]);
  assert.deepEqual(lines.map((line) => line.kind), ["wrote", "ran", "wrote", "asks", "call", "call", "ran"]);
  assert.deepEqual(lines[1], { key: "2", at: undefined, kind: "ran", is: "unrun", calls: 0, denied: 0, output: "1:1 TS1 no" });
  assert.deepEqual(lines[3], { key: "asks 4", at: undefined, kind: "asks", many: 2 });
  assert.deepEqual(lines[6], { key: "6", at: undefined, kind: "ran", is: "done", calls: 2, denied: 1, output: "[\n  1\n]" });
  const error = { name: "ToolDenied", message: "no", line: 2 };
  const [, failed] = told(["1", wrote("p1")], ["2", over("p1", { receipts, error })]).lines;
  assert.deepEqual(failed, { key: "2", at: undefined, kind: "ran", is: "failed", calls: 2, denied: 1, output: "ToolDenied: no (line 2)" });
});
