import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedCall, Fact, LogDelta, LogEvent } from "../gateway/frames";
import { reduce } from "./reduce";
import { type Input, START, type State, undecided, waiting } from "./state";

const USAGE = { input_tokens: 10, output_tokens: 2 };

const asked: AskedCall = {
  call: "c1",
  tool: "bash",
  summary: "Run a command",
  details: "ls",
  risk: "risky",
  reason: "it acts",
  cwd: "/w",
  confinement: "none",
  rules: ["bash(ls)"],
};

/** The events of one turn with a call that is asked about, approved and run. */
function story(session = "s", turn = "t"): LogEvent[] {
  const facts: Fact[] = [
    {
      kind: "turn.started",
      trigger: { source: "web", external_id: "m1", kind: "message", content: [{ type: "text", text: "List it" }] },
    },
    { kind: "model.asked", attempt: 1, model: "a/b" },
    {
      kind: "model.done",
      model: "a/b",
      blocks: [
        { type: "text", text: "Looking." },
        { type: "call", id: "c1", tool: "bash", arguments: '{"command":"ls"}' },
      ],
      stop: "tool_use",
      usage: USAGE,
    },
    { kind: "calls.judged", judgements: [{ call: "c1", verdict: "ask", risk: "risky", reason: "it acts" }] },
    { kind: "approval.requested", approval: "p1", calls: [asked], expires_at: "2026-01-05T10:30:00Z" },
    { kind: "approval.decided", approval: "p1", decisions: [{ call: "c1", approved: true }], by: "web" },
    { kind: "call.started", call: "c1" },
    { kind: "call.done", result: { call: "c1", status: "succeeded", output: "a.txt", exit_code: 0 } },
    { kind: "model.asked", attempt: 2, model: "a/b" },
    {
      kind: "model.done",
      model: "a/b",
      blocks: [{ type: "text", text: "There is one file." }],
      stop: "end_turn",
      usage: USAGE,
    },
    { kind: "turn.finished", outcome: { status: "completed" } },
  ];
  return facts.map(
    (fact, index) =>
      ({
        seq: index + 1,
        session,
        turn,
        at: `2026-01-05T10:00:${String(index).padStart(2, "0")}Z`,
        ...fact,
      }) as LogEvent,
  );
}

const run = (inputs: Input[], from: State = START) => inputs.reduce(reduce, from);
const live = (events: LogEvent[]): Input[] => events.map((event) => ({ type: "event", event }));
const opened: Input = { type: "opened", session: "s" };
const page = (events: LogEvent[], over = false): Input => ({
  type: "turns",
  session: "s",
  turns: [{ runId: "t", over, events }],
  more: false,
  oldest: false,
});
const delta = (text: string, offset: number, attempt = 1, kind: LogDelta["kind"] = "text"): Input => ({
  type: "delta",
  delta: { session: "s", turn: "t", attempt, offset, kind, text },
});

test("history and live, in any mixture, give the same conversation", () => {
  const events = story();
  const expected = run([opened, page(events, true)]).conversations.s?.turns;
  const check = (name: string, inputs: Input[]) => assert.deepEqual(run(inputs).conversations.s?.turns, expected, name);
  check("all live", [opened, ...live(events)]);
  check("each event twice", [opened, ...live(events).flatMap((input) => [input, input])]);
  for (let cut = 0; cut <= events.length; cut++) {
    check(`the first ${cut} from history`, [opened, page(events.slice(0, cut)), ...live(events.slice(cut))]);
    check(`history of ${cut} after what is live`, [
      opened,
      ...live(events.slice(Math.max(0, cut - 2))),
      page(events.slice(0, cut)),
    ]);
  }
});

test("a turn tells what was said, done and answered", () => {
  const turn = run([opened, ...live(story())]).conversations.s?.turns[0];
  assert.deepEqual(
    turn?.steps.map((step) => step.kind),
    ["said", "text", "call", "asked", "text"],
  );
  const call = turn?.steps[2];
  assert.ok(call?.kind === "call");
  const { id, verdict, decision, status, output, startedAt, doneAt } = call.call;
  assert.deepEqual(
    { id, verdict, approved: decision?.approved, status, output, startedAt, doneAt },
    {
      id: "c1",
      verdict: "ask",
      approved: true,
      status: "succeeded",
      output: "a.txt",
      startedAt: "2026-01-05T10:00:06Z",
      doneAt: "2026-01-05T10:00:07Z",
    },
  );
  assert.deepEqual(turn?.usage, { input_tokens: 20, output_tokens: 4, cache_read_tokens: 0, cache_write_tokens: 0 });
  assert.deepEqual(turn?.outcome, { status: "completed" });
});

test("what streams is shown until the log has it, and never twice", () => {
  const events = story();
  const text = (state: State) => state.live.t?.text.text;
  const begun = run([opened, ...live(events.slice(0, 2))]);
  const check = (name: string, inputs: Input[], expected: string | undefined) =>
    assert.equal(text(run(inputs, begun)), expected, name);
  check("pieces", [delta("Look", 0), delta("ing.", 4)], "Looking.");
  check("a snapshot after a lost connection", [delta("Look", 0), delta("Looking", 0)], "Looking");
  check("a gap, then what was missing", [delta("Lo", 0), delta("ing", 4), delta("ok", 2)], "Looking");
  check("begun again", [delta("Wrong", 0), delta("Right", 0, 2)], "Right");
  check("what is left of the attempt before", [delta("Right", 0, 2), delta("Wrong", 0, 1)], "Right");
  check("after the answer", [delta("Look", 0), ...live(events.slice(2, 3)), delta("ing.", 4)], "");
  check("all of it again after the answer", [delta("Look", 0), ...live(events.slice(2, 3)), delta("Looking.", 0)], "");
  check("the next answer", [delta("Look", 0), ...live(events.slice(2, 9)), delta("There", 0, 2)], "There");
  check("after the end", [...live(events.slice(2)), delta("late", 0, 2)], undefined);
  check(
    "before the event that opens it",
    [delta("Early", 0, 2), ...live([{ ...events[8], seq: 3 } as LogEvent])],
    "Early",
  );
});

test("a session that is opened in the middle has what streamed before", () => {
  const state = run([
    ...live(story().slice(0, 2)),
    delta("Look", 0),
    opened,
    page(story().slice(0, 2)),
    delta("ing", 4),
  ]);
  assert.equal(state.live.t?.text.text, "Looking");
  assert.equal(state.running.s, "t");
});

test("approvals wait until they are decided, wherever that happens", () => {
  const events = story();
  const count = (state: State) => waiting(state).length;
  const check = (name: string, inputs: Input[], expected: number) => assert.equal(count(run(inputs)), expected, name);
  const listed: Input = {
    type: "approvals",
    approvals: [
      {
        approvalId: "p1",
        sessionKey: "s",
        runId: "t",
        expiresAt: "x",
        calls: [
          {
            callId: "c1",
            toolName: "bash",
            workingDir: "/w",
            summary: "",
            details: "",
            risk: "risky",
            reason: "",
            confinement: "",
          },
        ],
      },
    ],
  };
  check("asked", live(events.slice(0, 5)), 1);
  check("decided elsewhere", live(events.slice(0, 6)), 0);
  check("listed", [listed], 1);
  check("listed late", [...live(events.slice(0, 6)), listed], 0);
  check("listed, then decided", [listed, ...live(events.slice(5, 6))], 0);
  check("stopped", [...live(events.slice(0, 5)), ...live([{ ...events[10], seq: 99 } as LogEvent])], 0);
  check("from history", [opened, page(events.slice(0, 5))], 1);
});

test("some of a screen may be decided before the rest", () => {
  const events = story();
  const two = { ...events[4], calls: [asked, { ...asked, call: "c2" }] } as unknown as LogEvent;
  const state = run(live([...events.slice(0, 4), two, ...events.slice(5, 6)]));
  const [left] = waiting(state);
  assert.deepEqual(left && undecided(left).map((call) => call.call), ["c2"]);
});

test("a message that was sent is shown once, from the first moment on", () => {
  const sent: Input = { type: "sending", session: "s", sent: { id: "m1", text: "List it", at: "", is: "sending" } };
  const accepted: Input = { type: "accepted", session: "s", id: "m1", run: "t" };
  const check = (name: string, inputs: Input[], outbox: string[], turns: number) => {
    const conversation = run(inputs).conversations.s;
    assert.deepEqual(
      conversation?.outbox.map((each) => each.is),
      outbox,
      name,
    );
    assert.equal(conversation?.turns.length, turns, name);
  };
  const begun = live(story().slice(0, 1));
  check("sending", [sent], ["sending"], 0);
  check("accepted", [sent, accepted], ["queued"], 0);
  check("begun", [sent, accepted, ...begun], [], 1);
  check("begun before the answer", [sent, ...begun, accepted], [], 1);
  check("failed", [sent, { type: "not-sent", session: "s", id: "m1", why: "" }], ["failed"], 0);
  check("again", [sent, { type: "not-sent", session: "s", id: "m1", why: "" }, sent, accepted], ["queued"], 0);
  const steered = {
    seq: 50,
    session: "s",
    turn: "other",
    at: "",
    kind: "turn.steered",
    message: "t",
    trigger: { source: "web", external_id: "m1", kind: "message", content: [] },
  } as LogEvent;
  check("joined", [sent, accepted, ...live([steered])], [], 1);
  const queued: Input = {
    type: "turns",
    session: "s",
    turns: [{ runId: "t", over: false, queued: true, events: [], message: "List it" }],
    more: false,
    oldest: false,
  };
  check("queued, from history", [opened, queued], ["queued"], 0);
  check("queued, and known", [sent, accepted, queued], ["queued"], 0);
});

test("a message that is taken back neither stops nor hides the turn under way", () => {
  const finish = (turn: string, seq: number): LogEvent => ({ ...story("s", turn)[10], seq }) as LogEvent;
  const begun = run([opened, ...live(story().slice(0, 2)), ...live([{ ...story("s", "t2")[0], seq: 20 } as LogEvent])]);
  assert.equal(begun.running.s, "t");
  const taken = run(live([finish("t2", 21)]), begun);
  assert.equal(taken.running.s, "t");
  assert.equal(run(live([finish("t", 22)]), taken).running.s, undefined);
});

test("older turns stand before the ones that are here", () => {
  const older = story("s", "t0").map((event) => ({ ...event, seq: event.seq }));
  const newer = story("s", "t").map((event) => ({ ...event, seq: event.seq + 100 }));
  const state = run([
    opened,
    page(newer, true),
    { type: "turns", session: "s", turns: [{ runId: "t0", over: true, events: older }], more: true, oldest: true },
  ]);
  assert.deepEqual(
    state.conversations.s?.turns.map((turn) => turn.id),
    ["t0", "t"],
  );
  assert.equal(state.conversations.s?.more, true);
});

test("that there is more before is known even if something happens while it is fetched", () => {
  const newer = story().map((event) => ({ ...event, seq: event.seq + 100 }));
  const first: Input = { type: "turns", session: "s", turns: [], more: true, oldest: false };
  const again: Input = { ...first, more: false };
  assert.equal(run([opened, ...live(newer), first, again]).conversations.s?.more, true);
});

test("what the owner is told belongs to no turn, and is kept once", () => {
  const notice = { id: "n", from: "reminder pizza", text: "Take it out." };
  const event: LogEvent = { seq: 7, session: "s", turn: "00000000-0000-0000-0000-000000000000", at: "2026-01-05T10:00:00Z", kind: "notice", notice };
  const open = reduce(reduce(START, { type: "opened", session: "s" }), { type: "turns", session: "s", turns: [], more: false, oldest: true });
  const told = reduce(open, { type: "event", event });
  assert.deepEqual(told.notices, [{ seq: 7, at: event.at, sessionKey: "s", notice }]);
  assert.deepEqual(told.conversations.s?.turns, []);
  const again = reduce(told, { type: "notices", notices: [...told.notices] });
  assert.deepEqual(again.notices, told.notices);
  assert.equal(reduce(again, { type: "changed", what: "jobs" }).changes.jobs, 1);
});
