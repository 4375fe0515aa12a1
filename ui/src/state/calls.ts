// A call in a few words: what it does, and to what. What is said of programs is in `program.ts`.
import { duration } from "../words";
import type { CallLine } from "./turn";

/** For each tool: what it does, doing it, having done it, and the argument that tells most. */
const TOLD: Readonly<Record<string, readonly [string, string, string, string]>> = {
  bash: ["run", "running", "ran", "command"],
  exec: ["run", "running", "ran", "command"],
  process: ["look after a process:", "looking after a process:", "looked after a process:", "action"],
  read: ["read", "reading", "read", "path"],
  write: ["write", "writing", "wrote", "path"],
  edit: ["edit", "editing", "edited", "path"],
  glob: ["look for files", "looking for files", "looked for files", "pattern"],
  grep: ["search files for", "searching files for", "searched files for", "pattern"],
  webfetch: ["fetch", "fetching", "fetched", "url"],
  websearch: ["search the web for", "searching the web for", "searched the web for", "query"],
  "memory.search": ["search memory for", "searching memory for", "searched memory for", "query"],
  "memory.read": ["read in memory", "reading in memory", "read in memory", "path"],
  "memory.save": ["write to memory", "writing to memory", "wrote to memory", "path"],
};

const MAX_OBJECT = 160;

export interface Told {
  readonly verb: string;
  readonly object: string;
}

/** The arguments of one call among many, in a line: the one that tells most, or all of them with their names. */
export function brief(call: CallLine): string {
  const input = inputOf(call.arguments);
  const named = input[TOLD[call.tool]?.[3] ?? ""];
  const spell = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const all = named !== undefined ? spell(named) : Object.entries(input).map(([key, value]) => `${key}: ${spell(value)}`).join(", ");
  const line = all.replace(/\s+/g, " ");
  return line.length > MAX_OBJECT ? `${line.slice(0, MAX_OBJECT)} …` : line;
}

export function told(call: CallLine): Told {
  const input = inputOf(call.arguments);
  const [does, doing, did, key] = TOLD[call.tool] ?? [
    `use ${call.tool}`,
    `using ${call.tool}`,
    `used ${call.tool}`,
    "",
  ];
  const unrun = call.status === "denied" || (call.status === "aborted" && !call.startedAt);
  const verb = unrun ? `wanted to ${does}` : call.status ? did : call.startedAt ? doing : `wants to ${does}`;
  const named = key ? input[key] : undefined;
  const value = named ?? Object.values(input).find((each) => typeof each === "string");
  const list = Array.isArray(value) ? value.join(" ") : value;
  const object = typeof list === "string" || typeof list === "number" ? String(list) : "";
  const line = object.split("\n")[0]?.slice(0, MAX_OBJECT) ?? "";
  const cut = line.length < object.length ? `${line} …` : line;
  return { verb, object: cut };
}

function inputOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return value && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The arguments to read: a command as it would be typed, anything else as tidy JSON. */
export function inputText(call: CallLine): { text: string; language: string } {
  const input = inputOf(call.arguments);
  const { command, ...rest } = input;
  if (typeof command === "string" && Object.keys(rest).every((key) => key === "description"))
    return { text: command, language: "sh" };
  return Object.keys(input).length > 0
    ? { text: JSON.stringify(input, null, 2), language: "json" }
    : { text: call.arguments, language: "" };
}

export interface Standing {
  readonly word: string;
  readonly tone: "plain" | "good" | "warn" | "bad";
  readonly icon?: "check" | "cross" | "wait" | "stop";
}

/** How a call stands, in a word. */
export function standing(call: CallLine): Standing {
  switch (call.status) {
    case "succeeded":
      return call.exitCode
        ? { word: `exit code ${call.exitCode}`, tone: "bad", icon: "cross" }
        : { word: "done", tone: "good", icon: "check" };
    case "failed":
      return {
        word: call.exitCode === undefined ? "failed" : `failed, exit code ${call.exitCode}`,
        tone: "bad",
        icon: "cross",
      };
    case "denied":
      return { word: "denied", tone: "warn", icon: "cross" };
    case "interrupted":
      return { word: "interrupted", tone: "warn", icon: "cross" };
    case "aborted":
      return { word: "stopped", tone: "plain", icon: "stop" };
    default:
      if (call.startedAt) return { word: "running", tone: "plain" };
      if (call.verdict === "ask" && !call.decision) return { word: "waits for you", tone: "warn", icon: "wait" };
      return { word: "next", tone: "plain" };
  }
}

export function took(call: CallLine): string {
  return call.startedAt && call.doneAt ? duration(Date.parse(call.doneAt) - Date.parse(call.startedAt)) : "";
}

/** Why it ran or did not, in a sentence. */
export function verdict(call: CallLine): string {
  const { decision } = call;
  if (decision?.approved)
    return decision.rule ? `Approved, and ${decision.rule} is always allowed from now on.` : "Approved.";
  if (decision) return denial(decision.reason, decision.by);
  if (call.verdict === "allow") return "Allowed by the rules.";
  if (call.verdict === "deny") return `Not allowed: ${call.reason ?? ""}`;
  if (call.verdict === "client") return "Run by the program that asked.";
  return call.reason ? `Asked because: ${call.reason}` : "";
}

export function denial(reason: string | undefined, by: string): string {
  if (/clock|expir/.test(by)) return "Denied. Nobody answered in time.";
  return reason ? `Denied. Steward was told: ${reason}` : "Denied.";
}
