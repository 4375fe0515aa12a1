// A program in a few words: how it stands, what became of its calls, what is wrong with it.
import type { ProgramEnd } from "../gateway/frames";
import { count } from "../words";
import { type Standing, standing } from "./calls";
import type { CallLine, Program } from "./turn";

/** How a program stands, in a word or two. */
export function programStanding(call: CallLine, program: Program): Standing {
  const { end, calls } = program;
  if (isMisfit(call, program)) return { word: "did not fit", tone: "plain", icon: "cross" };
  if (call.status && call.status !== "succeeded" && !end) return standing(call);
  // It may end before calls it did not wait for.
  const over = call.status !== undefined || calls.every((each) => each.status);
  if (end && over) {
    if (end.status === "failed") return { word: "failed", tone: "bad", icon: "cross" };
    return { word: "done", tone: "good", icon: "check" };
  }
  if (call.status) return standing(call);
  if (!program.startedAt) return call.startedAt ? { word: "is being checked", tone: "plain" } : standing(call);
  const idle = !calls.some((each) => each.startedAt && !each.status);
  return idle && calls.some(isAsked) ? { word: "waits for you", tone: "warn", icon: "wait" } : { word: "running", tone: "plain" };
}

/** What became of its calls, such as "15 calls", "2 denied". */
export function tally(program: Program, over: boolean): string[] {
  const { calls } = program;
  if (calls.length === 0) return program.startedAt && over ? ["no calls"] : [];
  const many = (status: CallLine["status"]) => calls.filter((call) => call.status === status).length;
  const say = (number: number, word: string) => (number > 0 ? [`${number.toLocaleString("en")} ${word}`] : []);
  return [
    count(calls.length, "call"),
    ...(over ? [] : say(many("succeeded"), "done")),
    ...say(many("failed"), "failed"),
    ...say(many("denied"), "denied"),
    ...say(many("interrupted"), "interrupted"),
    ...say(many("aborted"), "stopped"),
  ];
}

/** Whether the owner's word about a call is awaited. */
export function isAsked(call: CallLine): boolean {
  return standing(call).icon === "wait";
}

/** Whether the check found something wrong with it, so that it never began. */
export function isMisfit(call: CallLine, program: Program): boolean {
  return call.status === "failed" && !program.startedAt && problems(call.output ?? "").length > 0;
}

/** One thing the check found, and where. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}

/** What the check found wrong with a program, read from what the model is told; nothing if it is told otherwise. */
export function problems(output: string): Problem[] {
  const found: { line: number; message: string }[] = [];
  for (const line of output.split("\n")) {
    const [, at, message] = /^\W*(?:line )?(\d+):\d+:? (?:(?:[A-Z]+\d+|[a-z]+(?:-[a-z]+)+):? )?(.+)$/.exec(line) ?? [];
    const last = found.at(-1);
    if (at && message) found.push({ line: Number(at), message });
    else if (last && /^\s+\S/.test(line)) last.message += `\n${line.trim()}`;
  }
  return found;
}

/** The lines of a program that something is wrong with. */
export function marked(call: CallLine, program: Program): ReadonlySet<number> {
  const { end } = program;
  if (end) return new Set(end.status === "failed" && end.line ? [end.line] : []);
  return new Set(program.startedAt ? [] : problems(call.output ?? "").map((problem) => problem.line));
}

/** What it gave back to read: tidy JSON if it is whole. */
export function returned(end: ProgramEnd & { status: "returned" }): string {
  try {
    return JSON.stringify(JSON.parse(end.value), null, 2);
  } catch {
    return end.value;
  }
}
