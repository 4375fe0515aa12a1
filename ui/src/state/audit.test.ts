// The log in sentences.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEvent } from "../gateway/answers";
import { KINDS, sentence } from "./audit";

const place = { seq: 1, session: "s", turn: "t", at: "2026-01-05T10:00:00Z" };
const say = (fact: object) => sentence({ ...place, ...fact } as AuditEvent);
const text = (words: string) => [{ type: "text", text: words }];

test("every kind has its sentence", () => {
  const check = (fact: object, words: string, tone = "plain") => assert.deepEqual(say(fact), { text: words, tone });
  check({ kind: "turn.started", trigger: { source: "web", content: text("Hello\nyou") } }, "From web: Hello you");
  check({ kind: "model.asked", model: "a/b", attempt: 1 }, "Asked a/b");
  check({ kind: "model.asked", model: "a/b", attempt: 3 }, "Asked a/b, call 3");
  check({ kind: "model.done", model: "a/b", blocks: text("Hi") }, "a/b said: Hi");
  check({ kind: "model.done", model: "a/b", blocks: [{ type: "call", tool: "bash" }] }, "a/b said: calls bash");
  check({ kind: "calls.judged", judgements: [{ verdict: "ask", reason: "it acts" }] }, "Has to ask: it acts");
  check({ kind: "approval.decided", by: "web", decisions: [{ approved: true, rule: "bash(ls)" }] }, "Approved by web, with the rule bash(ls)", "good");
  check({ kind: "approval.decided", by: "web", decisions: [{ approved: true }, { approved: false, reason: "no" }] }, "Denied by web: no", "bad");
  check({ kind: "call.done", result: { status: "failed", output: "" } }, "Failed: no output", "bad");
  check({ kind: "program.started", call: "c", program: { paths: [] } }, "The assistant wrote a program; it fits and begins");
  check({ kind: "program.asked", calls: [{ tool: "read" }, { tool: "bash" }, { tool: "read" }] }, "The program asked for 3 calls: read, bash");
  check({ kind: "program.ended", status: "returned", value: "[1]" }, "The program ended: [1]", "good");
  check({ kind: "program.ended", status: "failed", name: "ToolDenied", message: "no", line: 3 }, "The program ended with ToolDenied: no (line 3)", "bad");
  check({ kind: "approval.requested", calls: [{ summary: "run `ls`" }], forecast: { program: "c" } }, "A program asked you: run `ls`", "warn");
  check({ kind: "turn.finished", outcome: { status: "completed" } }, "The turn ended", "good");
  check({ kind: "turn.finished", outcome: { status: "limit_reached", reason: "50 calls" } }, "A limit ended the turn: 50 calls", "warn");
  check({ kind: "auth.refused", door: "ws", reason: "wrong token" }, "Turned away: ws, wrong token", "bad");
  check({ kind: "from.tomorrow" }, "from.tomorrow");
});

test("long words are cut between letters", () => {
  const { text: words } = say({ kind: "turn.started", trigger: { source: "web", content: text("🙂".repeat(500)) } });
  assert.ok(words.endsWith("🙂…"));
});

test("the filter names each kind once", () => {
  assert.equal(new Set(KINDS.map(([kind]) => kind)).size, KINDS.length);
});
