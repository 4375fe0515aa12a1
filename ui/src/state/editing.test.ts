// A memory file that is being changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, conflicted, draftOf, type Editing, isChanged, keepMine, memoryArgument, memoryPlace, pieces, placeOfHit, saved, spanOf, takeTheirs, typed } from "./editing";

const file = (text: string) => ({ path: "MEMORY.md", text, hash: `hash of ${text}` });

test("begins with the file, or with what was typed before", () => {
  assert.deepEqual(begin(file("a")), { path: "MEMORY.md", text: "a", saved: "a", hash: "hash of a", restored: false });
  const restored = begin(file("a"), { text: "b", hash: "hash of a" });
  assert.deepEqual([restored.text, restored.restored, restored.theirs], ["b", true, undefined]);
  const same = begin(file("a"), { text: "a", hash: "hash of old" });
  assert.equal(isChanged(same), false);
});

test("text typed before the file was changed elsewhere is put to the owner", () => {
  const editing = begin(file("theirs"), { text: "mine", hash: "hash of old" });
  assert.deepEqual(editing.theirs, file("theirs"));
  assert.equal(editing.text, "mine");
  // Leaving and coming back asks again.
  assert.deepEqual(begin(file("theirs"), draftOf(editing)), editing);
});

test("what is not in the file is kept, whatever happens", () => {
  const check = (editing: Editing, text: string | undefined) => assert.equal(draftOf(editing)?.text, text);
  const open = begin(file("a"));
  check(open, undefined);
  check(typed(open, "b"), "b");
  check(typed(typed(open, "b"), "a"), undefined);
  check(saved(typed(open, "b"), "b", "h"), undefined);
  // Typed on while it was being saved.
  check(saved(typed(open, "bc"), "b", "h"), "bc");
  check(conflicted(typed(open, "b"), file("z")), "b");
  // Back at the old text, while the file has a new one: still a choice.
  check(typed(conflicted(typed(open, "b"), file("z")), "a"), "a");
  check(keepMine(conflicted(typed(open, "b"), file("z"))), "b");
  check(takeTheirs(conflicted(typed(open, "b"), file("z"))), undefined);
});

test("keeping mine may be written over theirs and nothing else", () => {
  assert.equal(keepMine(conflicted(typed(begin(file("a")), "b"), file("z"))).hash, "hash of z");
});

test("who wrote the same is no conflict", () => {
  assert.equal(isChanged(conflicted(typed(begin(file("a")), "b"), file("b"))), false);
});

test("an address may name lines", () => {
  assert.deepEqual(memoryPlace("memory/2026-01-05.md"), { path: "memory/2026-01-05.md" });
  assert.deepEqual(memoryPlace(memoryArgument("a#b.md", 3, 7)), { path: "a#b.md", lines: [3, 7] });
});

test("lines stand somewhere in the text", () => {
  const check = (lines: [number, number], expected: string) => {
    const text = "one\ntwo\nthree";
    assert.equal(text.slice(...spanOf(text, lines)), expected);
  };
  check([1, 1], "one");
  check([2, 3], "two\nthree");
  check([3, 9], "three");
  check([8, 9], "");
});

test("a text is cut where words of the query stand", () => {
  const check = (text: string, query: string, expected: string[]) => assert.deepEqual(pieces(text, query), expected);
  check("The garden, the Garden", "garden", ["The ", "garden", ", the ", "Garden", ""]);
  check("a.b", "a.b c++ x", ["a.b"]);
  check("Öl und Brot", "öl brot", ["", "Öl", " und ", "Brot", ""]);
  check("nothing", "", ["nothing"]);
});

test("a hit leads to where it can be read", () => {
  const hit = { excerpt: "", lineStart: 3, lineEnd: 7 };
  assert.deepEqual(placeOfHit({ ...hit, path: "memory/a.md", kind: "note" }), { view: "memory", argument: "memory/a.md#L3-7" });
  assert.deepEqual(placeOfHit({ ...hit, path: "sessions/web--1.jsonl", kind: "transcript" }), { view: "chat", argument: "web--1" });
  assert.equal(placeOfHit({ ...hit, path: "/books/a.md", kind: "extra" }), undefined);
});
