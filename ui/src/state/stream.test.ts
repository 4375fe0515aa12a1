import assert from "node:assert/strict";
import { test } from "node:test";
import { add, EMPTY } from "./stream";

const TEXT = "Grüße, 世界 👋 and more";
const size = (text: string) => new TextEncoder().encode(text).length;

/** The text in pieces of a few characters, each with its place. */
function pieces(text: string, length: number): { offset: number; text: string }[] {
  const letters = [...text];
  const cuts = Array.from({ length: Math.ceil(letters.length / length) }, (_, at) =>
    letters.slice(at * length, (at + 1) * length).join(""),
  );
  return cuts.map((cut, at) => ({ offset: size(cuts.slice(0, at).join("")), text: cut }));
}

test("whatever comes twice, late or overlapping, the text adds up", () => {
  const check = (name: string, given: { offset: number; text: string }[], expected = TEXT) => {
    const stream = given.reduce(add, EMPTY);
    assert.deepEqual({ text: stream.text, bytes: stream.bytes }, { text: expected, bytes: size(expected) }, name);
  };
  const whole = pieces(TEXT, 3);
  check("in order", whole);
  check("one letter at a time", pieces(TEXT, 1));
  check(
    "each twice",
    whole.flatMap((piece) => [piece, piece]),
  );
  check("backwards", [...whole].reverse());
  check("all of it again at the end", [...whole, { offset: 0, text: TEXT }]);
  check("the beginning late", [...whole.slice(2), { offset: 0, text: [...TEXT].slice(0, 8).join("") }]);
  check(
    "with a gap, as far as it goes",
    [...whole.slice(0, 2), ...whole.slice(3)],
    whole
      .slice(0, 2)
      .map((piece) => piece.text)
      .join(""),
  );
  check("overlapping", [
    { offset: 0, text: "Grü" },
    { offset: 2, text: "üß" },
    { offset: 4, text: "ße, 世界 👋 and more" },
  ]);
});

test("any order of pieces gives the same text", () => {
  const whole = pieces(TEXT, 2);
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let round = 0; round < 200; round++) {
    const order = [...whole, ...whole.filter(() => random() < 0.3)].map((piece) => ({ piece, at: random() }));
    const stream = order
      .sort((a, b) => a.at - b.at)
      .map(({ piece }) => piece)
      .reduce(add, EMPTY);
    assert.equal(stream.text, TEXT);
  }
});
