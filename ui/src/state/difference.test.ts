// Two texts side by side.
import assert from "node:assert/strict";
import { test } from "node:test";
import { difference, nearby } from "./difference";

const both = (line: string) => ({ mine: line, theirs: line });

test("lines stand together as far as both have them", () => {
  const check = (mine: string, theirs: string, expected: object[]) => assert.deepEqual(difference(mine, theirs), expected);
  check("", "", [both("")]);
  check("a\nb", "a\nb", [both("a"), both("b")]);
  check("a\nb\nc", "a\nc", [both("a"), { mine: "b" }, both("c")]);
  check("a\nc", "a\nb\nc", [both("a"), { theirs: "b" }, both("c")]);
  check("a\nx\nc", "a\ny\nc", [both("a"), { mine: "x" }, { theirs: "y" }, both("c")]);
  check("a\na", "a", [both("a"), { mine: "a" }]);
  check("1\nsame\n2", "3\nsame\n4", [{ mine: "1" }, { theirs: "3" }, both("same"), { mine: "2" }, { theirs: "4" }]);
});

test("each side can be put together again", () => {
  const lines = (count: number, odd: number) => Array.from({ length: count }, (_, index) => (index % odd === 0 ? `x${index}` : "same")).join("\n");
  for (const [mine, theirs] of [[lines(40, 3), lines(30, 4)], [lines(2500, 3), lines(2600, 7)]] as const) {
    const rows = difference(mine, theirs);
    assert.equal(rows.flatMap((row) => row.mine ?? []).join("\n"), mine);
    assert.equal(rows.flatMap((row) => row.theirs ?? []).join("\n"), theirs);
  }
});

test("only what is near a difference is shown", () => {
  const rows = difference("1\n2\n3\n4\nx\n5\n6\n7\n8", "1\n2\n3\n4\n5\n6\n7\n8");
  assert.deepEqual(nearby(rows, 1), [undefined, both("4"), { mine: "x" }, both("5"), undefined]);
});
