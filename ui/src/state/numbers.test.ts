// How tokens and money are said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { money, short } from "./numbers";

test("tokens are short", () => {
  const check = (tokens: number, expected: string) => assert.equal(short(tokens), expected);
  check(0, "0");
  check(999, "999");
  check(1000, "1k");
  check(1234, "1.2k");
  check(34_567, "35k");
  check(999_499, "999k");
  check(999_500, "1M");
  check(5_600_000, "5.6M");
  check(2_000_000_000, "2G");
});

test("money is as exact as it matters", () => {
  const check = (value: number, expected: string) => assert.equal(money(value, "USD"), expected);
  check(0, "$0.00");
  check(12.345, "$12.35");
  check(0.0042, "$0.0042");
  check(0.005, "$0.005");
  check(0.00001, "less than $0.0001");
});
