// The log for people: one sentence for each event.
import type { AuditEvent } from "../gateway/answers";
import type { LogEvent, Outcome } from "../gateway/frames";
import { count } from "../words";
import { textOf } from "./turn";

/** Kinds by what they are about, as the filter offers them. */
export const KINDS: readonly (readonly [kind: string, words: string])[] = [
  ["turn.started", "A turn began"],
  ["turn.steered", "A message joined a turn"],
  ["turn.aborted", "A turn was stopped"],
  ["turn.finished", "A turn ended"],
  ["model.asked", "A model was asked"],
  ["model.done", "A model answered"],
  ["model.failed", "A model failed"],
  ["calls.judged", "Policy judged calls"],
  ["approval.requested", "You were asked"],
  ["approval.decided", "A decision"],
  ["client.asked", "A client was asked"],
  ["call.started", "A call began"],
  ["call.done", "A call ended"],
  ["program.started", "The assistant wrote a program"],
  ["program.asked", "The program asked for calls"],
  ["program.ended", "The program ended"],
  ["auth.accepted", "Somebody signed in"],
  ["auth.refused", "Somebody was turned away"],
  ["auth.rotated", "The token was replaced"],
];

export type Tone = "plain" | "good" | "warn" | "bad";

export interface Sentence {
  readonly text: string;
  readonly tone: Tone;
}

const MAX_CHARS = 140;

export function sentence(audited: AuditEvent): Sentence {
  const door = doorSentence(audited);
  if (door) return door;
  const event = audited as LogEvent;
  const plain = (text: string): Sentence => ({ text: shorten(text), tone: "plain" });
  const bad = (text: string): Sentence => ({ text: shorten(text), tone: "bad" });
  switch (event.kind) {
    case "turn.started":
      return plain(`From ${event.trigger.source}: ${textOf(event.trigger.content) || "no text"}`);
    case "turn.steered":
      return plain(`Joined the turn: ${textOf(event.trigger.content)}`);
    case "model.asked":
      return plain(`Asked ${event.model}${event.attempt > 1 ? `, call ${event.attempt}` : ""}`);
    case "model.done":
      return plain(`${event.model} said: ${textOf(event.blocks).trim() || calledTools(event.blocks)}`);
    case "model.failed":
      return bad(`${event.error.provider} failed: ${event.error.message}`);
    case "calls.judged":
      return plain(event.judgements.map(({ verdict, reason }) => JUDGED[verdict] + (reason ? `: ${reason}` : "")).join("; "));
    case "program.started":
      return plain("The assistant wrote a program; it fits and begins");
    case "program.asked":
      return plain(`The program asked for ${count(event.calls.length, "call")}: ${[...new Set(event.calls.map((call) => call.tool))].join(", ")}`);
    case "program.ended":
      if (event.status === "failed") return bad(`The program ended with ${event.name}: ${event.message}${event.line ? ` (line ${event.line})` : ""}`);
      return { text: shorten(`The program ended: ${event.value}`), tone: "good" };
    case "approval.requested":
      return { text: shorten(`${event.forecast ? "A program asked you" : "Asked you"}: ${event.calls.map((call) => call.summary).join("; ")}`), tone: "warn" };
    case "approval.decided": {
      const no = event.decisions.find((decision) => !decision.approved);
      if (no) return bad(`Denied by ${event.by}${no.reason ? `: ${no.reason}` : ""}`);
      const rule = event.decisions.find((decision) => decision.rule)?.rule;
      return { text: shorten(`Approved by ${event.by}${rule ? `, with the rule ${rule}` : ""}`), tone: "good" };
    }
    case "client.asked":
      return plain(`Handed to a client: ${event.calls.map(({ call }) => call.tool).join(", ")}`);
    case "call.started":
      return plain("A call is about to run");
    case "call.done": {
      const { status, output } = event.result;
      return (status === "succeeded" ? plain : bad)(`${CALLED[status] ?? status}: ${output.trim() || "no output"}`);
    }
    case "turn.aborted":
      return { text: "You stopped the turn", tone: "warn" };
    case "turn.finished":
      return finished(event.outcome);
    default:
      return plain(audited.kind);
  }
}

const JUDGED = { allow: "Allowed", ask: "Has to ask", client: "For the client", deny: "Denied by policy" };

const CALLED: Record<string, string> = {
  succeeded: "Succeeded",
  failed: "Failed",
  denied: "Was not run",
  interrupted: "Was interrupted",
  aborted: "Was stopped",
};

/** Events of the doors belong to no conversation. */
export function isOfDoor(event: AuditEvent): boolean {
  return event.kind.startsWith("auth.");
}

function doorSentence(event: AuditEvent): Sentence | undefined {
  const { door = "", reason = "" } = event as AuditEvent & { door?: string; reason?: string };
  switch (event.kind) {
    case "auth.accepted":
      return { text: `Let in: ${door}`, tone: "plain" };
    case "auth.refused":
      return { text: shorten(`Turned away: ${door}, ${reason}`), tone: "bad" };
    case "auth.rotated":
      return { text: "The token was replaced; everybody has to sign in again", tone: "warn" };
    default:
      return undefined;
  }
}

function calledTools(blocks: readonly { type: string }[]): string {
  const tools = blocks.flatMap((block) => (block.type === "call" ? [(block as { tool?: string }).tool ?? ""] : []));
  return tools.length > 0 ? `calls ${tools.join(", ")}` : "nothing";
}

function finished(outcome: Outcome): Sentence {
  switch (outcome.status) {
    case "completed":
      return { text: "The turn ended", tone: "good" };
    case "aborted":
      return { text: "The turn was stopped", tone: "warn" };
    case "limit_reached":
      return { text: shorten(`A limit ended the turn: ${outcome.reason}`), tone: "warn" };
    case "failed":
      return { text: shorten(`The turn failed: ${outcome.error.message}`), tone: "bad" };
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const letters = [...line];
  return letters.length > MAX_CHARS ? `${letters.slice(0, MAX_CHARS).join("")}…` : line;
}
