// What a program's events add up to, and how that is said.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedCall, Fact, LogEvent } from "../gateway/frames";
import { brief } from "./calls";
import { isMisfit, marked, problems, programStanding, returned, tally } from "./program";
import { reduce } from "./reduce";
import { type Input, START, type State, undecided, waiting } from "./state";
import { status } from "./status";
import type { CallLine, Program } from "./turn";

const USAGE = { input_tokens: 1, output_tokens: 1 };
const CODE = 'const paths = ["a", "b", "c"];\nreturn await Promise.all(paths.map((path) => tools.write({ path })));';
const FITS_NOT = "The program does not fit:\n1:7 TS2322 Type 'string' is not assignable to type 'number'.\n  A detail.\n3:1 any-tool name the tool";

const wrote = (id: string, code = CODE): Fact => ({
  kind: "model.done",
  model: "a/b",
  blocks: [{ type: "call", id, tool: "run_code", arguments: JSON.stringify({ code }) }],
  stop: "tool_use",
  usage: USAGE,
});
const judged = (calls: string[], verdict: "allow" | "ask"): Fact => ({ kind: "calls.judged", judgements: calls.map((call) => ({ call, verdict })) });
const started = (call: string): Fact => ({ kind: "call.started", call });
const done = (call: string, status: "succeeded" | "failed" | "denied" | "interrupted", output = ""): Fact => ({
  kind: "call.done",
  result: { call, status, output },
});
const fits = (call: string): Fact => ({ kind: "program.started", call, program: { paths: ["write"] } });
const asks = (program: string, calls: string[], console = ""): Fact => ({
  kind: "program.asked",
  program,
  calls: calls.map((id) => ({ id, tool: "write", arguments: JSON.stringify({ path: id }) })),
  told: 0,
  console,
});
const onScreen = (call: string): AskedCall => ({ call, tool: "write", summary: `Write ${call}`, details: call, risk: "risky", reason: "it acts", cwd: "/w", confinement: "none" });
const screen = (program: string, calls: string[]): Fact => ({
  kind: "approval.requested",
  approval: "s1",
  calls: calls.map(onScreen),
  expires_at: "2026-01-05T11:00:00Z",
  forecast: { program, calls: [{ tool: "bash", summary: "Run `git commit`" }] },
});
const decided = (yes: string[], no: string[]): Fact => ({
  kind: "approval.decided",
  approval: "s1",
  decisions: [...yes.map((call) => ({ call, approved: true })), ...no.map((call) => ({ call, approved: false, reason: "not chosen by the owner" }))],
  by: "web",
});
const ended: Fact = { kind: "program.ended", program: "p2", status: "returned", value: '["a","b"]', console: "two of three\n" };

/** A program that does not fit, then one that does: three calls at once, one denied, one cut off by a restart. */
const STORY: readonly Fact[] = [
  { kind: "turn.started", trigger: { source: "web", external_id: "m", kind: "message", content: [{ type: "text", text: "Write them" }] } },
  { kind: "model.asked", attempt: 1, model: "a/b" },
  wrote("p1", "const many: number = 'three';"),
  judged(["p1"], "allow"),
  started("p1"),
  done("p1", "failed", FITS_NOT),
  { kind: "model.asked", attempt: 2, model: "a/b" },
  wrote("p2"),
  judged(["p2"], "allow"),
  started("p2"),
  fits("p2"),
  asks("p2", ["a", "b", "c"], "begins\n"),
  judged(["a", "b", "c"], "ask"),
  screen("p2", ["a", "b", "c"]),
  decided(["a", "b"], ["c"]),
  done("c", "denied", "The owner said no."),
  started("a"),
  started("b"),
  done("b", "succeeded", "written"),
  done("a", "interrupted", "Steward was restarted while it ran."),
  ended,
  done("p2", "succeeded", "1 write a: interrupted …"),
  { kind: "turn.finished", outcome: { status: "completed" } },
];

const logged = (facts: readonly Fact[]): LogEvent[] =>
  facts.map((fact, index) => ({ seq: index + 1, session: "s", turn: "t", at: `2026-01-05T10:00:${String(index).padStart(2, "0")}Z`, ...fact }) as LogEvent);
const inputs = (facts: readonly Fact[]): Input[] => logged(facts).map((event) => ({ type: "event", event }));
const run = (facts: readonly Fact[]): State => [{ type: "opened", session: "s" } as Input, ...inputs(facts)].reduce(reduce, START);

function programOf(facts: readonly Fact[], id: string): { call: CallLine; program: Program } {
  const steps = run(facts).conversations.s?.turns[0]?.steps ?? [];
  const step = steps.find((each) => each.kind === "call" && each.call.id === id);
  assert.ok(step?.kind === "call" && step.call.program, id);
  return { call: step.call, program: step.call.program };
}

/** The story up to and with the first fact of this kind about this call. */
function until(kind: Fact["kind"], call?: string): readonly Fact[] {
  const at = STORY.findIndex((fact) => fact.kind === kind && (!call || JSON.stringify(fact).includes(`"${call}"`)));
  return STORY.slice(0, at + 1);
}

test("a program that does not fit has its errors, and the corrected one is another call", () => {
  const { call, program } = programOf(STORY, "p1");
  assert.deepEqual(program, { code: "const many: number = 'three';", calls: [], console: "" });
  assert.ok(isMisfit(call, program));
  assert.deepEqual(problems(call.output ?? ""), [
    { line: 1, message: "Type 'string' is not assignable to type 'number'.\nA detail." },
    { line: 3, message: "name the tool" },
  ]);
  assert.deepEqual([...marked(call, program)], [1, 3]);
  assert.equal(programStanding(call, program).word, "did not fit");
  const right = programOf(STORY, "p2");
  assert.ok(!isMisfit(right.call, right.program));
  assert.equal(right.program.code, CODE);
});

test("a program holds its calls in its order, each with what became of it", () => {
  const { call, program } = programOf(STORY, "p2");
  assert.deepEqual(
    program.calls.map(({ id, verdict, decision, status, output }) => [id, verdict, decision?.approved, status, output]),
    [
      ["a", "ask", true, "interrupted", "Steward was restarted while it ran."],
      ["b", "ask", true, "succeeded", "written"],
      ["c", "ask", false, "denied", "The owner said no."],
    ],
  );
  assert.equal(program.console, "begins\ntwo of three\n");
  assert.deepEqual(program.end, { status: "returned", value: '["a","b"]', cut_bytes: undefined });
  assert.equal(call.status, "succeeded");
  assert.deepEqual(tally(program, true), ["3 calls", "1 denied", "1 interrupted"]);
});

test("children are no steps of the turn", () => {
  const steps = run(STORY).conversations.s?.turns[0]?.steps;
  assert.deepEqual(steps?.map((step) => (step.kind === "call" ? step.call.id : step.kind)), ["said", "p1", "p2", "asked"]);
});

test("how a program stands is said at every step", () => {
  const check = (facts: readonly Fact[], id: string, word: string, said: string[]) => {
    const { call, program } = programOf(facts, id);
    assert.equal(programStanding(call, program).word, word);
    assert.deepEqual(tally(program, word === "done"), said, word);
  };
  check(until("model.done", "p1"), "p1", "next", []);
  check(until("call.started", "p1"), "p1", "is being checked", []);
  check(until("program.started"), "p2", "running", []);
  check(until("program.asked"), "p2", "running", ["3 calls"]);
  check(until("approval.requested"), "p2", "waits for you", ["3 calls"]);
  check(until("call.started", "a"), "p2", "running", ["3 calls", "1 denied"]);
  check(until("call.done", "b"), "p2", "running", ["3 calls", "1 done", "1 denied"]);
  check(STORY, "p2", "done", ["3 calls", "1 denied", "1 interrupted"]);
});

test("a program that ended runs on while a call it did not wait for does", () => {
  const facts = [...until("call.done", "b"), ended];
  const { call, program } = programOf(facts, "p2");
  assert.equal(programStanding(call, program).word, "running");
});

test("an error of the program marks its line", () => {
  const failed: Fact = { kind: "program.ended", program: "p2", status: "failed", name: "ToolDenied", message: "no", line: 2 };
  const { call, program } = programOf([...until("call.done", "a"), failed, done("p2", "failed", "")], "p2");
  assert.deepEqual([...marked(call, program)], [2]);
  assert.equal(programStanding(call, program).word, "failed");
});

test("a program that was cut off before its end says so", () => {
  const { call, program } = programOf([...until("program.asked"), done("p2", "interrupted")], "p2");
  assert.equal(programStanding(call, program).word, "interrupted");
});

test("the screen of a program has its forecast and is decided call by call", () => {
  const asked = run(until("approval.requested"));
  const [open] = waiting(asked);
  assert.deepEqual(open?.forecast, { program: "p2", calls: [{ tool: "bash", summary: "Run `git commit`" }] });
  const one = run([...until("approval.requested"), decided(["b"], [])]);
  const [left] = waiting(one);
  assert.deepEqual(left && undecided(left).map((call) => call.call), ["a", "c"]);
  assert.equal(waiting(run(until("approval.decided"))).length, 0);
});

test("a screen that is listed has its forecast too", () => {
  const forecast = { program: "p2", calls: [] };
  const listed: Input = { type: "approvals", approvals: [{ approvalId: "s1", sessionKey: "s", runId: "t", expiresAt: "x", calls: [], forecast }] };
  assert.deepEqual(reduce(START, listed).approvals.s1?.forecast, forecast);
});

test("the same events twice, or in pages and live, change nothing", () => {
  const expected = run(STORY).conversations.s?.turns;
  const opened: Input = { type: "opened", session: "s" };
  const page = (facts: readonly Fact[]): Input => ({ type: "turns", session: "s", turns: [{ runId: "t", over: false, events: logged(facts) }], more: false, oldest: false });
  const check = (name: string, given: Input[]) => assert.deepEqual(given.reduce(reduce, START).conversations.s?.turns, expected, name);
  check("each twice", [opened, ...inputs(STORY).flatMap((input) => [input, input])]);
  for (let cut = 0; cut <= STORY.length; cut++) {
    check(`${cut} of them as a page, then live`, [opened, page(STORY.slice(0, cut)), ...inputs(STORY).slice(cut)]);
    check(`live from ${cut}, then a page`, [opened, ...inputs(STORY).slice(cut), page(STORY)]);
  }
  const all = run(STORY);
  assert.deepEqual(inputs(STORY).reduce(reduce, all), all);
});

test("what did not change stays the same object", () => {
  const before = run(until("call.started", "b"));
  const after = reduce(before, inputs(until("call.done", "b")).at(-1) as Input);
  const calls = (state: State) => state.conversations.s?.turns[0]?.steps.flatMap((step) => (step.kind === "call" ? [step.call] : [])) ?? [];
  assert.equal(calls(after)[0], calls(before)[0]);
  assert.equal(calls(after)[1]?.program?.calls[0], calls(before)[1]?.program?.calls[0]);
  assert.notEqual(calls(after)[1]?.program?.calls[1], calls(before)[1]?.program?.calls[1]);
});

test("the line at the end says which of its calls runs", () => {
  const check = (facts: readonly Fact[], text: string, code?: string) => {
    const turn = run(facts).conversations.s?.turns[0];
    const said = turn && status(turn, undefined, false);
    assert.deepEqual([said?.text, said?.code], [text, code]);
  };
  check(until("call.started", "p2"), "Checking the program");
  check(until("program.started"), "Running the program");
  check(until("call.started", "b"), "Writing", "b");
  check(until("call.done", "b"), "Writing", "a");
});

test("one of many calls is told in a line", () => {
  const check = (tool: string, given: unknown, expected: string) => assert.equal(brief({ id: "x", tool, arguments: JSON.stringify(given) }), expected);
  check("bash", { command: "ls\n-la", timeout: 5 }, "ls -la");
  check("github.issues.close", { repo: "garden", number: 12, labels: ["old"] }, 'repo: garden, number: 12, labels: ["old"]');
  check("tasks.list", {}, "");
});

test("a result is tidy if it is whole", () => {
  assert.equal(returned({ status: "returned", value: '{"a":1}' }), '{\n  "a": 1\n}');
  assert.equal(returned({ status: "returned", value: '{"a":', cut_bytes: 9 }), '{"a":');
});

test("a thousand calls all have their result", () => {
  const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  const facts = [...until("program.started"), asks("p2", ids), judged(ids, "allow"), ...ids.flatMap((id) => [started(id), done(id, "succeeded")])];
  const events = logged(facts);
  const page: Input = { type: "turns", session: "s", turns: [{ runId: "t", over: false, events }], more: false, oldest: false };
  const step = reduce(START, page).conversations.s?.turns[0]?.steps.at(-1);
  assert.ok(step?.kind === "call");
  assert.equal(step.call.program?.calls.filter((call) => call.status === "succeeded").length, 1000);
});
