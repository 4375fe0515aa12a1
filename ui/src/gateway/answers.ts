// What the methods of the control room give: memory, tools, the log, usage.

export interface MemoryFile {
  path: string;
  bytes: number;
  modifiedAt: string;
}

export interface MemoryText {
  path: string;
  text: string;
  /** What the text is known by; saving wants it back. */
  hash: string;
}

export type MemoryKind = "long_term" | "daily" | "note" | "extra" | "transcript";

export interface MemoryHit {
  path: string;
  excerpt: string;
  lineStart: number;
  lineEnd: number;
  kind?: MemoryKind;
  /** From 0 to 1; the best first. */
  score?: number;
}

/** How searching is doing. */
export interface MemoryStatus {
  files: number;
  /** Passages in the index, and those of them that have a vector or wait for one. */
  chunks: number;
  embedded: number;
  pending: number;
  /** The model that makes vectors, or why there is none. */
  model: { name: string } | { missing: string };
  bytes: number;
  dirty: boolean;
}

export type Verdict = "allow" | "ask" | "deny";

export interface ToolInfo {
  name: string;
  description: string;
  inputSchema: unknown;
  labels: { bringsUntrusted: boolean; readsPrivate: boolean; actsOutside: boolean; idempotent: boolean };
  usually: Verdict;
  why: string;
}

export interface Toolbox {
  preset: string;
  sandbox: { enabled: boolean; primitives: { name: string; available: boolean; consequence: string }[] };
  tools: ToolInfo[];
  /** As the configuration has them. */
  rules: { allow: string[]; ask: string[]; deny: string[]; grants: string[] };
  /** Made while deciding. */
  made: string[];
}

/** An event of any kind, also of those that belong to no conversation. */
export interface AuditEvent {
  seq: number;
  session: string;
  turn: string;
  at: string;
  kind: string;
}

export type Verified = { whole: true; events: number; head: string } | { whole: false; seq: number; reason: string };

export interface ModelUsage {
  model: string;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cost: number | null;
}

export interface DayUsage {
  /** `YYYY-MM-DD`, by the clock of Steward's machine. */
  day: string;
  models: ModelUsage[];
}
