import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEvent } from "../gateway/frames";
import type { NoticeInfo } from "../gateway/orders";
import { NOTHING_READ, passages, readAll, readIn, speaker, unread, withNotices } from "./notices";
import { newTurn, type Turn } from "./turn";

const told = (seq: number, sessionKey = "s"): NoticeInfo => ({
  seq,
  at: "2026-01-05T10:00:00Z",
  sessionKey,
  notice: { id: `n${seq}`, from: "reminder pizza", text: "Take it out." },
});
const seqs = (notices: readonly NoticeInfo[]) => notices.map((notice) => notice.seq);

test("notices are kept newest first, and each once", () => {
  const some = withNotices([], [told(3), told(9)]);
  assert.deepEqual(seqs(some), [9, 3]);
  assert.equal(withNotices(some, [told(9)]), some);
  assert.deepEqual(seqs(withNotices(some, [told(5), told(9)])), [9, 5, 3]);
  const many = Array.from({ length: 300 }, (_, index) => told(index + 1));
  assert.deepEqual([withNotices([], many).length, withNotices([], many)[0]?.seq], [200, 300]);
});

test("what was seen in one conversation is still unread in others", () => {
  const notices = [told(9, "b"), told(7, "a"), told(5, "b")];
  assert.deepEqual(seqs(unread(notices, NOTHING_READ)), [9, 7, 5]);
  const inB = readIn(notices, NOTHING_READ, "b");
  assert.deepEqual(seqs(unread(notices, inB)), [7]);
  assert.equal(readIn(notices, inB, "b"), inB);
  assert.deepEqual(readIn(notices, inB, "a"), { to: 9, apart: [] });
  assert.deepEqual(readAll(notices, inB), { to: 9, apart: [] });
  assert.deepEqual(seqs(unread([told(11), ...notices], readAll(notices, inB))), [11]);
});

test("who speaks is named as people would", () => {
  const id = "01a1dfcf-14cf-7416-8ca6-f4a36fddf4e1";
  assert.deepEqual(speaker("reminder the pizza"), { kind: "Reminder", name: "the pizza" });
  assert.deepEqual(speaker(`task ${id}`), { kind: "Task", task: id });
  assert.deepEqual(speaker("heartbeat"), { kind: "Heartbeat", name: undefined });
  assert.deepEqual(speaker("steward"), { kind: "Steward", name: undefined });
});

test("a notice stands between the turns it came between", () => {
  const turn = (id: string, seq: number): Turn => ({ ...newTurn("s", id), events: [{ seq } as LogEvent] });
  const order = (more: boolean) =>
    passages([turn("t1", 10), turn("t2", 20)], [told(25), told(15), told(5)], more).map((passage) =>
      "turn" in passage ? passage.turn.id : passage.notice.seq,
    );
  assert.deepEqual(order(false), [5, "t1", 15, "t2", 25]);
  assert.deepEqual(order(true), ["t1", 15, "t2", 25]);
  assert.deepEqual(passages([], [told(5)], false).length, 1);
});
