// What a turn is doing right now, in a few words.
import { upper } from "../words";
import { told } from "./calls";
import type { Live } from "./state";
import type { CallLine, Turn } from "./turn";

export interface Status {
  readonly text: string;
  readonly code?: string;
  readonly since?: string;
  readonly asking: boolean;
}

export function status(turn: Turn, live: Live | undefined, asking: boolean): Status | undefined {
  if (turn.outcome) return undefined;
  if (asking) return { text: "Waiting for you", asking: true };
  const step = turn.steps.findLast((step) => step.kind === "call" && runs(step.call));
  if (step?.kind === "call") {
    const { program } = step.call;
    const running = program?.calls.findLast(runs) ?? step.call;
    if (live?.progress) return { text: live.progress.text, since: running.startedAt, asking: false };
    const { startedAt: since } = running;
    if (running.program) return { text: program?.startedAt ? "Running the program" : "Checking the program", since, asking: false };
    const { verb, object } = told(running);
    return { text: upper(verb), code: object, since, asking: false };
  }
  if (live && !live.closed && live.text.bytes > 0) return { text: "Writing", asking: false };
  if (live && !live.closed && live.thinking.bytes > 0) return { text: "Thinking", asking: false };
  if (turn.asking) return { text: "Asking the model", since: turn.events.at(-1)?.at, asking: false };
  return { text: "Working", asking: false };
}

function runs(call: CallLine): boolean {
  return call.startedAt !== undefined && !call.status;
}
