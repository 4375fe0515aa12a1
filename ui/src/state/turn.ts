// What one turn's events add up to: what was said, in order, with every call and what became of it. A turn is
// always the fold of its events by place in the log, so it does not matter in which order they reached the page.
import type { Attachment, Block, Call, CallStatus, Decision, LogEvent, Outcome, ProgramEnd, Trigger, Usage } from "../gateway/frames";

export interface Turn {
  readonly id: string;
  readonly session: string;
  readonly events: readonly LogEvent[];
  readonly steps: readonly Step[];
  readonly outcome?: Outcome;
  readonly model?: string;
  readonly usage: Usage;
  /** The model call under way, if one is. */
  readonly asking?: number;
  /** When the turn began and ended. */
  readonly startedAt?: string;
  readonly endedAt?: string;
}

export type Step =
  | { kind: "said"; text: string; attachments: Attachment[]; at: string; source: string; by: string; joined: boolean }
  | { kind: "text"; text: string; partial: boolean; at: string }
  | { kind: "thinking"; text: string }
  | { kind: "attachment"; attachment: Attachment }
  | { kind: "call"; call: CallLine }
  | { kind: "asked"; approval: string };

/** One tool call, from the model's wish to its result. */
export interface CallLine {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly verdict?: "allow" | "ask" | "client" | "deny";
  readonly reason?: string;
  readonly decision?: Decision & { by: string };
  readonly startedAt?: string;
  readonly doneAt?: string;
  readonly status?: CallStatus;
  readonly output?: string;
  readonly exitCode?: number;
  readonly truncated?: boolean;
  readonly attachments?: Attachment[];
  /** What it hands in, if it is a program. */
  readonly program?: Program;
}

/** A program the model wrote, with what it did as far as it has come. */
export interface Program {
  readonly code: string;
  /** When it began, which it only does if it passed its check. */
  readonly startedAt?: string;
  /** What it asked for, in its order. */
  readonly calls: readonly CallLine[];
  readonly console: string;
  readonly end?: ProgramEnd;
}

/** The tool by which a program is handed in. */
const RUN_CODE = "run_code";

const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

export function newTurn(session: string, id: string): Turn {
  return { id, session, events: [], steps: [], usage: NO_USAGE };
}

/** The turn with these events too. Those it has already change nothing. */
export function withEvents(turn: Turn, events: readonly LogEvent[]): Turn {
  const last = turn.events.at(-1)?.seq ?? 0;
  const known = new Set(events.some((event) => event.seq <= last) ? turn.events.map((event) => event.seq) : []);
  const fresh = events.filter((event) => !known.has(event.seq));
  if (fresh.length === 0) return turn;
  const later = fresh.every((event, index) => event.seq > (fresh[index - 1]?.seq ?? last));
  if (later) return fresh.reduce(fold, turn);
  const bySeq = new Map([...turn.events, ...fresh].map((event) => [event.seq, event]));
  const all = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
  return all.reduce(fold, newTurn(turn.session, turn.id));
}

function fold(before: Turn, event: LogEvent): Turn {
  const turn = { ...before, events: [...before.events, event] };
  const push = (...steps: Step[]): Turn => ({ ...turn, steps: [...turn.steps, ...steps] });
  switch (event.kind) {
    case "turn.started":
      return { ...push(said(event.trigger, event.at, false)), startedAt: event.at, model: event.trigger.model };
    case "turn.steered":
      return push(said(event.trigger, event.at, true));
    case "model.asked":
      return { ...turn, asking: event.attempt, model: event.model };
    case "model.done":
      return {
        ...push(...spoken(event.blocks, event.at, false)),
        asking: undefined,
        model: event.model,
        usage: sum(turn.usage, event.usage),
      };
    case "model.failed":
    case "turn.aborted":
      return { ...push(...spoken(event.partial, event.at, true)), asking: undefined };
    case "calls.judged":
      return change(turn, event.judgements.map(({ call, verdict, reason }) => [call, { verdict, reason }]));
    case "approval.requested":
      return push({ kind: "asked", approval: event.approval });
    case "approval.decided":
      return change(turn, event.decisions.map((decision) => [decision.call, { decision: { ...decision, by: event.by } }]));
    case "call.started":
      return change(turn, [[event.call, { startedAt: event.at }]]);
    case "call.done": {
      const { call, status, output, truncated, attachments, exit_code: exitCode } = event.result;
      return change(turn, [[call, { status, output, truncated, attachments, exitCode, doneAt: event.at }]]);
    }
    case "program.started":
      return changeProgram(turn, event.call, (was) => ({ ...was, startedAt: event.at }));
    case "program.asked":
      return changeProgram(turn, event.program, (was) => ({
        ...was,
        calls: [...was.calls, ...event.calls.map(wish)],
        console: was.console + (event.console ?? ""),
      }));
    case "program.ended":
      return changeProgram(turn, event.program, (was) => ({
        ...was,
        end: endOf(event),
        console: was.console + (event.console ?? ""),
      }));
    case "turn.finished":
      return { ...turn, outcome: event.outcome, endedAt: event.at, asking: undefined };
    default:
      return turn;
  }
}

function said(trigger: Trigger, at: string, joined: boolean): Step {
  const attachments = trigger.content.filter((block) => block.type === "attachment");
  return { kind: "said", text: textOf(trigger.content), attachments, at, source: trigger.source, by: trigger.kind, joined };
}

/** Whether it was taken back before the model heard of it. Nobody misses such a turn. */
export function takenBack(turn: Turn): boolean {
  return turn.outcome?.status === "aborted" && !turn.events.some((event) => event.kind === "model.asked");
}

export function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function spoken(blocks: readonly Block[], at: string, partial: boolean): Step[] {
  return blocks.flatMap((block): Step[] => {
    switch (block.type) {
      case "text":
        return block.text.trim() ? [{ kind: "text", text: block.text, partial, at }] : [];
      case "thinking":
        return block.text.trim() ? [{ kind: "thinking", text: block.text }] : [];
      case "attachment":
        return [{ kind: "attachment", attachment: block }];
      case "call":
        return [{ kind: "call", call: wish(block) }];
      default:
        return [];
    }
  });
}

/** A call as it was wished for. */
function wish({ id, tool, arguments: given }: Call): CallLine {
  const code = tool === RUN_CODE ? codeOf(given) : undefined;
  const line = { id, tool, arguments: given };
  return code === undefined ? line : { ...line, program: { code, calls: [], console: "" } };
}

function codeOf(given: string): string | undefined {
  try {
    const { code } = JSON.parse(given) as { code?: unknown };
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

function endOf(end: ProgramEnd): ProgramEnd {
  if (end.status === "returned") return { status: end.status, value: end.value, cut_bytes: end.cut_bytes };
  return { status: end.status, name: end.name, message: end.message, line: end.line };
}

/** The turn with its calls changed, also those of programs; what stays the same stays the same object, so nothing draws
 * it anew. */
function change(turn: Turn, changes: readonly (readonly [call: string, change: Partial<CallLine>])[]): Turn {
  const byCall = new Map(changes);
  const one = (call: CallLine): CallLine => {
    const { program } = call;
    const calls = program && each(program.calls, one);
    const same = !program || !calls || calls === program.calls;
    const now = same ? call : { ...call, program: { ...program, calls } };
    const found = byCall.get(call.id);
    return found ? { ...now, ...found } : now;
  };
  return ofCalls(turn, one);
}

function changeProgram(turn: Turn, id: string, how: (was: Program) => Program): Turn {
  return ofCalls(turn, (call) => (call.id === id && call.program ? { ...call, program: how(call.program) } : call));
}

function ofCalls(turn: Turn, one: (call: CallLine) => CallLine): Turn {
  const steps = each(turn.steps, (step) => {
    if (step.kind !== "call") return step;
    const call = one(step.call);
    return call === step.call ? step : { ...step, call };
  });
  return { ...turn, steps };
}

/** The list with each of it changed, or the same list if none was. */
function each<T>(list: readonly T[], one: (item: T) => T): readonly T[] {
  const next = list.map(one);
  return next.every((item, index) => item === list[index]) ? list : next;
}

function sum(a: Usage, b: Usage): Usage {
  const plus = (x?: number, y?: number) => (x ?? 0) + (y ?? 0);
  return {
    input_tokens: plus(a.input_tokens, b.input_tokens),
    output_tokens: plus(a.output_tokens, b.output_tokens),
    cache_read_tokens: plus(a.cache_read_tokens, b.cache_read_tokens),
    cache_write_tokens: plus(a.cache_write_tokens, b.cache_write_tokens),
  };
}
