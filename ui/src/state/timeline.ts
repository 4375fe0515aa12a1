// What a task's events add up to: one line for everything said, one for every call however often it was told of.
import type { Task, TaskStatus } from "../gateway/orders";
import type { ProgramResult, TaskEvent } from "../gateway/tasks";

export type Stage = "asked" | "approved" | "denied" | "succeeded" | "failed";

export type Line = { readonly key: string; readonly at?: string } & (
  | { readonly kind: "began" }
  | { readonly kind: "said"; readonly text: string }
  | {
      readonly kind: "call";
      readonly call: string;
      readonly tool: string;
      readonly title?: string;
      readonly details?: string;
      readonly output?: string;
      readonly stage: Stage;
    }
  | { readonly kind: "wrote"; readonly call: string; readonly code: string }
  /** A program put so many calls on one screen. */
  | { readonly kind: "asks"; readonly many: number }
  | { readonly kind: "ran"; readonly is: "done" | "failed" | "unrun"; readonly calls: number; readonly denied: number; readonly output: string }
  /** One of several runs is over; more may come. */
  | { readonly kind: "paused"; readonly error?: string }
  | { readonly kind: "ended"; readonly error?: string; readonly reason?: string }
);

export interface Timeline {
  readonly lines: readonly Line[];
  /** The model is at work and has not said anything yet. */
  readonly thinking: boolean;
  readonly last?: string;
}

export const NOTHING_TOLD: Timeline = { lines: [], thinking: false };

/** The timeline with one event more. One that was told before changes nothing. */
export function tell(timeline: Timeline, id: string, event: TaskEvent, at?: string): Timeline {
  if (timeline.last !== undefined && !isAfter(id, timeline.last)) return timeline;
  const now: Timeline = { ...timeline, last: id, thinking: false };
  const put = (line: Line): Timeline => withLine(now, line);
  switch (event.type) {
    case "status":
      if (event.message === "thinking") return { ...now, thinking: true };
      if (event.message === "run finished") return put({ key: id, at, kind: "paused", error: event.error });
      return put({ key: id, at, kind: "began" });
    case "agent_message":
      return put({ key: id, at, kind: "said", text: event.text });
    case "code_generated":
      return put({ key: id, at, kind: "wrote", call: event.id, code: event.code });
    case "approval_request": {
      const { title, details } = event.preview;
      const lines = event.program ? asking(now.lines, `asks ${seqOf(id)}`, at) : now.lines;
      return withLine({ ...now, lines }, { key: id, at, kind: "call", call: event.id, tool: event.toolPath, title, details, stage: "asked" });
    }
    case "approval_resolved":
      return change(now, event.id, { stage: event.decision });
    case "tool_result": {
      const { id: call, toolPath: tool, status: stage, preview: output } = event;
      if (now.lines.some((line) => line.kind === "wrote" && line.call === call)) return put(ran(id, at, output, event));
      if (isKnown(now, call)) return change(now, call, { stage, output });
      return put({ key: id, at, kind: "call", call, tool, output, stage });
    }
    case "completed":
      return put({ key: id, at, kind: "ended", reason: event.reason ?? undefined });
    case "error":
      return put({ key: id, at, kind: "ended", error: event.error, reason: event.reason ?? undefined });
  }
}

/** How the task stands by what was told; what the list says until something was. */
export function standing(task: Task, { lines }: Timeline): TaskStatus {
  const last = lines.at(-1);
  if (last?.kind === "ended") {
    if (last.error === undefined) return "completed";
    return last.error === "cancelled" ? "cancelled" : "failed";
  }
  if (last?.kind === "paused") return isUnderWay(task.status) ? "active" : task.status;
  // A run that was stopped leaves questions behind that nobody will answer.
  const run = lines.slice(lines.findLastIndex((line) => line.kind === "began") + 1);
  if (run.some((line) => line.kind === "call" && line.stage === "asked")) return "waiting";
  return lines.length > 0 && isUnderWay(task.status) ? "running" : task.status;
}

export function isUnderWay(status: TaskStatus): boolean {
  return status !== "completed" && status !== "failed" && status !== "cancelled";
}

function withLine(timeline: Timeline, line: Line): Timeline {
  return { ...timeline, lines: [...timeline.lines, line] };
}

/** The calls of one screen are told one by one; that a program asks for them is one line. */
function asking(lines: readonly Line[], key: string, at?: string): readonly Line[] {
  if (!lines.some((line) => line.key === key)) return [...lines, { key, at, kind: "asks", many: 1 }];
  return lines.map((line) => (line.key === key && line.kind === "asks" ? { ...line, many: line.many + 1 } : line));
}

/** What came of a program. Why one did not run is in its preview; most often it did not fit its tools. */
function ran(key: string, at: string | undefined, preview: string, { receipts = [], result, error }: ProgramResult): Line {
  const denied = receipts.filter((receipt) => receipt.status === "denied").length;
  const line = { key, at, kind: "ran" as const, calls: receipts.length, denied };
  if (error) return { ...line, is: "failed", output: `${error.name}: ${error.message}${error.line ? ` (line ${error.line})` : ""}` };
  if (result !== undefined) return { ...line, is: "done", output: result === null ? "" : JSON.stringify(result, null, 2) };
  return { ...line, is: receipts.length > 0 ? "failed" : "unrun", output: preview };
}

function isKnown({ lines }: Timeline, call: string): boolean {
  return lines.some((line) => line.kind === "call" && line.call === call);
}

function change(timeline: Timeline, call: string, changes: { stage: Stage; output?: string }): Timeline {
  const lines = timeline.lines.map((line) => (line.kind === "call" && line.call === call ? { ...line, ...changes } : line));
  return { ...timeline, lines };
}

/** Ids are places in the log: `seq` when all of an event was told, `seq.k` after its part k. */
function isAfter(id: string, last: string): boolean {
  const [seq, part] = placeOf(id);
  const [lastSeq, lastPart] = placeOf(last);
  return seq > lastSeq || (seq === lastSeq && part > lastPart);
}

function placeOf(id: string): [number, number] {
  const [seq, part] = id.split(".");
  return [Number(seq), part === undefined ? Infinity : Number(part)];
}

/** The place in the log an id stands for. */
export function seqOf(id: string): number {
  return placeOf(id)[0];
}
