// What goes over the wire: the log's events, the deltas, and what the methods take and give (docs/protocol.md).
import type { AuditEvent, DayUsage, MemoryFile, MemoryHit, MemoryKind, MemoryStatus, MemoryText, Toolbox, Verified } from "./answers";
import type { Firing, Hook, Job, JobOrder, Notice, NoticeInfo, Preview, Task, TaskKind, TaskRun, Written } from "./orders";

export type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "redacted_thinking" }
  | ({ type: "attachment" } & Attachment)
  | ({ type: "call" } & Call)
  | ({ type: "result" } & CallResult)
  | { type: "unknown" };

export interface Attachment {
  mime_type: string;
  data: string;
  name?: string;
}

export interface Call {
  id: string;
  tool: string;
  arguments: string;
}

export type CallStatus = "succeeded" | "failed" | "denied" | "interrupted" | "aborted";

export interface CallResult {
  call: string;
  status: CallStatus;
  output: string;
  /** The output as data, for the program that asked for it. */
  value?: unknown;
  attachments?: Attachment[];
  exit_code?: number;
  truncated?: boolean;
  untrusted?: boolean;
}

export interface Trigger {
  source: string;
  external_id: string;
  kind: string;
  content: Block[];
  model?: string;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
}

export interface ModelError {
  kind: { kind: string };
  provider: string;
  message: string;
}

export interface Judgement {
  call: string;
  verdict: "allow" | "ask" | "client" | "deny";
  risk?: Risk;
  reason?: string;
}

export type Risk = "safe" | "risky" | "forbidden";

/** One call on an approval screen, as the log spells it. */
export interface AskedCall {
  call: string;
  tool: string;
  summary: string;
  details: string;
  risk: Risk;
  reason: string;
  flags?: string[];
  cwd: string;
  confinement: string;
  rules?: string[];
}

export interface Decision {
  call: string;
  approved: boolean;
  reason?: string;
  rule?: string;
}

/** What a program seems about to do after the calls of a screen, by a trial run. Nothing is approved by it. */
export interface Forecast {
  program: string;
  calls?: { tool: string; summary: string }[];
}

export type ProgramEnd =
  | { status: "returned"; value: string; cut_bytes?: number }
  | { status: "failed"; name: string; message: string; line?: number };

export type Outcome =
  | { status: "completed" }
  | { status: "aborted" }
  | { status: "limit_reached"; reason: string }
  | { status: "failed"; error: ModelError };

export type Fact =
  | { kind: "turn.started"; trigger: Trigger }
  | { kind: "model.asked"; attempt: number; model: string }
  | { kind: "model.done"; model: string; blocks: Block[]; stop: string; usage: Usage }
  | { kind: "model.failed"; error: ModelError; partial: Block[] }
  | { kind: "calls.judged"; judgements: Judgement[] }
  | { kind: "approval.requested"; approval: string; calls: AskedCall[]; expires_at: string; forecast?: Forecast }
  | { kind: "approval.decided"; approval: string; decisions: Decision[]; by: string }
  | { kind: "client.asked"; calls: { call: Call; reason: string }[] }
  | { kind: "call.started"; call: string }
  | { kind: "call.done"; result: CallResult }
  | { kind: "program.started"; call: string; program: { paths: string[] } }
  | { kind: "program.asked"; program: string; calls: Call[]; told: number; console?: string }
  | ({ kind: "program.ended"; program: string; console?: string } & ProgramEnd)
  | { kind: "turn.steered"; message: string; trigger: Trigger }
  | { kind: "turn.aborted"; partial: Block[] }
  | { kind: "turn.finished"; outcome: Outcome }
  | { kind: "notice"; notice: Notice };

/** A fact with its place in the log. Kinds this page does not know pass through and are left alone. */
export type LogEvent = { seq: number; session: string; turn: string; at: string } & (Fact | { kind: "" });

export interface LogDelta {
  session: string;
  turn: string;
  attempt: number;
  offset: number;
  kind: "text" | "thinking" | "progress";
  text: string;
  tool?: string;
}

export interface SessionInfo {
  sessionKey: string;
  title: string;
  turns: number;
  createdAt: string;
  updatedAt: string;
  archived?: boolean;
}

export interface TurnPage {
  runId: string;
  over: boolean;
  events: LogEvent[];
  queued?: boolean;
  message?: string;
}

/** A call as `approvals.list` spells it. */
export interface ListedCall {
  callId: string;
  toolName: string;
  summary: string;
  details: string;
  risk: Risk;
  reason: string;
  flags?: string[];
  workingDir: string;
  confinement: string;
  rules?: string[];
}

export interface ListedApproval {
  approvalId: string;
  sessionKey: string;
  runId: string;
  expiresAt: string;
  calls: ListedCall[];
  forecast?: Forecast | null;
}

export interface ProviderInfo {
  name: string;
  kind: string;
  keySet: boolean;
  keySource: string | null;
  baseUrl: string | null;
}

export interface Settings {
  version: string;
  home: string;
  workspace: string;
  model: string | null;
  models: string[];
  preset: string;
  providers: ProviderInfo[];
  needsSetup: boolean;
}

/** The methods: what each takes and what it gives. A view that needs another adds its line here. */
export interface Methods {
  "events.subscribe": [{ since?: number; deltas?: boolean }, { since: number }];
  "sessions.create": [Record<string, never>, { sessionKey: string }];
  "sessions.list": [{ limit?: number; search?: string; archived?: boolean }, { sessions: SessionInfo[] }];
  "sessions.rename": [{ sessionKey: string; title: string }, { session: SessionInfo }];
  "sessions.archive": [{ sessionKey: string; archived: boolean }, { session: SessionInfo }];
  "sessions.turns": [{ sessionKey: string; before?: string; limit?: number }, { turns: TurnPage[]; more: boolean }];
  "chat.send": [
    { sessionKey: string; message: string; clientMessageId: string; model?: string; steer?: boolean },
    { runId: string; joined?: boolean; repeated?: boolean },
  ];
  "chat.abort": [{ runId: string }, { ok: boolean }];
  "approvals.list": [Record<string, never>, { approvals: ListedApproval[] }];
  "exec.approve": [{ approvalId: string; callIds?: string[]; rule?: string }, { ok: boolean }];
  "exec.deny": [{ approvalId: string; reason?: string }, { ok: boolean }];
  "rules.list": [Record<string, never>, { rules: string[] }];
  "rules.remove": [{ rule: string }, { ok: boolean }];
  "memory.search": [{ query: string; kind?: MemoryKind; limit?: number }, { results: MemoryHit[]; remark?: string | null }];
  "memory.status": [Record<string, never>, MemoryStatus];
  "memory.reindex": [Record<string, never>, Record<string, never>];
  "memory.list": [Record<string, never>, { files: MemoryFile[] }];
  "memory.read": [{ path: string }, MemoryText];
  "memory.save": [{ path: string; text: string; hash: string }, { hash: string }];
  "jobs.list": [{ cursor?: string; limit?: number }, { jobs: Job[]; next: string | null }];
  "jobs.get": [{ id: string }, { job: Job }];
  "jobs.add": [JobOrder & { session: string; clientJobId: string }, { job: Job }];
  "jobs.update": [{ id: string; enabled?: boolean } & Partial<JobOrder>, { job: Job }];
  "jobs.remove": [{ id: string }, Record<string, never>];
  "jobs.run": [{ id: string }, { runId: string }];
  "jobs.history": [{ id: string; limit?: number }, { firings: Firing[] }];
  "jobs.preview": [{ schedule: Written }, Preview];
  "tasks.list": [
    { status?: "open"; kind?: TaskKind; cursor?: string; limit?: number },
    { tasks: Task[]; next: string | null },
  ];
  "tasks.get": [{ id: string }, { task: Task }];
  "tasks.create": [
    { prompt: string; kind: TaskKind; schedule?: Written; secret?: string; clientTaskId: string },
    { task: Task; hook?: Hook },
  ];
  "tasks.cancel": [{ id: string }, { task: Task }];
  "tasks.history": [{ id: string; limit?: number }, { runs: TaskRun[] }];
  "notices.list": [{ before?: number; limit?: number }, { notices: NoticeInfo[]; more: boolean }];
  "tools.list": [Record<string, never>, Toolbox];
  "audit.list": [{ before?: number; limit?: number; kind?: string; sessionKey?: string }, { events: AuditEvent[]; more: boolean }];
  "audit.verify": [Record<string, never>, Verified];
  "usage.summary": [{ days?: number }, { days: DayUsage[]; currency: string }];
  "settings.get": [Record<string, never>, Settings];
  "settings.setModel": [{ model: string }, { ok: boolean; model: string }];
  "setup.detect": [
    Record<string, never>,
    {
      keys: { provider: string; source: string }[];
      servers: { provider: string; baseUrl: string; models: string[] }[];
    },
  ];
  "setup.testKey": [{ provider: string; key: string; model?: string }, { ok: boolean; model: string }];
  "setup.saveKey": [{ provider: string; key: string; model?: string }, { ok: boolean; model: string }];
}

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M][0];
export type Result<M extends Method> = Methods[M][1];
