import assert from "node:assert/strict";
import { test } from "node:test";
import { plain } from "./words";

test("words without their marks", () => {
  const check = (markdown: string, expected: string) => assert.equal(plain(markdown), expected);
  check("There are **twelve** mails.", "There are twelve mails.");
  check("## Today\n\n- one\n- `two`\n> three", "Today one two three");
  check("See [the almanac](https://example.org/a_b) now", "See the almanac now");
  check("2 * 3 is 6, snake_case stays", "2 * 3 is 6, snake_case stays");
});
