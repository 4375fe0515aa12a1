// Standing orders on the wire: jobs that come due, tasks of three kinds, and what the owner is told meanwhile.

export type Schedule =
  | { kind: "at"; at: string }
  | { kind: "every"; everyMs: number; anchor?: string }
  | { kind: "cron"; expr: string; tz?: string };

/** A schedule as people give it: the thing itself, or a phrase such as `every weekday at 9`. */
export type Written = Schedule | string;

export type Missed = "skip" | "once" | "all";

export interface Firing {
  /** The time it was due. */
  slot: string;
  firedAt: string;
  lateMs: number;
  /** Null until it is over. */
  outcome: string | null;
  note: string | null;
  endedAt: string | null;
  runId: string | null;
}

export interface Job {
  id: string;
  name: string;
  kind: "reminder" | "task" | "heartbeat";
  schedule: Schedule;
  /** The schedule in words. */
  describe: string;
  message: string;
  session: string;
  deliver: string;
  missed: Missed;
  enabled: boolean;
  deleteAfterRun: boolean;
  nextRun: string | null;
  lastRun: Firing | null;
  failures: number;
  running: number;
  model: string | null;
  task: string | null;
  createdAt: string;
}

/** What a job is given with, and what can be changed of it. */
export interface JobOrder {
  name: string;
  schedule: Written;
  message: string;
  deliver: string;
  missed: Missed;
  deleteAfterRun: boolean;
}

export interface Preview {
  schedule: Schedule;
  describe: string;
  next: string[];
}

export type TaskStatus = "active" | "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled";
export type TaskKind = "one_shot" | "recurring" | "event";

export interface Task {
  id: string;
  status: TaskStatus;
  kind: TaskKind;
  prompt: string;
  sessionKey: string;
  runId: string | null;
  createdAt: string;
  endedAt: string | null;
  /** When it comes again, in words. */
  describe: string | null;
  nextRun: string | null;
  /** How many of its runs are over. */
  runs: number;
  /** How many of the latest failed in a row. */
  failures: number;
  deliver: string;
  /** Whether what is handed in must be signed. */
  signed: boolean;
  /** Why it ended, if somebody said so. */
  reason: string | null;
}

/** Where something is handed in for a task. It is told once. */
export interface Hook {
  url: string;
  token: string;
}

export interface TaskRun {
  runId: string;
  at: string;
  endedAt: string | null;
  outcome: string;
  text: string;
}

export interface NoticeInfo {
  seq: number;
  at: string;
  /** The conversation it was told in. */
  sessionKey: string;
  notice: Notice;
}

export interface Notice {
  id: string;
  /** Whose word it is: `reminder pizza`, `task 3f2a…`, `heartbeat`. */
  from: string;
  text: string;
  /** The conversation it comes of, if another. */
  session?: string;
  /** The screen that waits because of it. */
  approval?: string;
  /** Whether it may repeat what strangers wrote. */
  untrusted?: boolean;
}
