// What the page knows. It is only ever replaced, by `reduce`.
import type {
  AskedCall,
  Decision,
  Forecast,
  LogDelta,
  LogEvent,
  ListedApproval,
  SessionInfo,
  Settings,
  TurnPage,
} from "../gateway/frames";
import type { NoticeInfo } from "../gateway/orders";
import type { Connection } from "../gateway/socket";
import { NOTHING_READ, type Read } from "./notices";
import type { Stream } from "./stream";
import type { Turn } from "./turn";

export interface State {
  readonly connection: Connection;
  /** Whether it was ever open: a page that only begins is not yet "reconnecting". */
  readonly greeted: boolean;
  /** The last place in the log that was seen; going on begins after it. */
  readonly seq?: number;
  readonly sessions: Loadable<readonly SessionInfo[]>;
  readonly conversations: Readonly<Record<string, Conversation>>;
  /** What streams by, by turn, until its turn is over. */
  readonly live: Readonly<Record<string, Live>>;
  readonly approvals: Readonly<Record<string, Approval>>;
  /** Sessions with a turn under way, and that turn. */
  readonly running: Readonly<Record<string, string>>;
  readonly settings?: Settings;
  /** What the owner was told outside of any turn, the newest first, and what of it this browser has shown. */
  readonly notices: readonly NoticeInfo[];
  readonly read: Read;
  /** Grow whenever something about them may be different: then views ask again. */
  readonly changes: { readonly jobs: number; readonly tasks: number };
  readonly toasts: readonly Toast[];
}

export type Loadable<T> = { is: "loading" } | { is: "failed"; why: string } | { is: "here"; value: T };

export interface Conversation {
  readonly key: string;
  readonly loading: boolean;
  /** Whether its latest turns were fetched once. */
  readonly loaded: boolean;
  readonly failed?: string;
  /** Whether there are older turns that were not fetched. */
  readonly more: boolean;
  readonly turns: readonly Turn[];
  /** What was sent and has not begun. */
  readonly outbox: readonly Sent[];
}

/** A message on its way: shown at once, and until its turn begins. */
export interface Sent {
  readonly id: string;
  readonly text: string;
  readonly at: string;
  readonly is: "sending" | "queued" | "failed";
  readonly run?: string;
  readonly why?: string;
  readonly model?: string;
}

/** What a turn's model call says while it says it. */
export interface Live {
  readonly session: string;
  readonly attempt: number;
  readonly text: Stream;
  readonly thinking: Stream;
  readonly progress?: { tool: string; text: string };
  /** The answer of this attempt is in the log; what still streams by is old. */
  readonly closed: boolean;
}

/** One screen of calls put to the owner. */
export interface Approval {
  readonly id: string;
  readonly session: string;
  readonly turn: string;
  readonly calls: readonly AskedCall[];
  readonly expiresAt: string;
  /** Set if a program asked for these calls. */
  readonly forecast?: Forecast;
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly by?: string;
  /** Its turn ended before everything was decided. */
  readonly stopped: boolean;
}

/** A short word at the bottom of the page. */
export interface Toast {
  readonly id: number;
  readonly tone: "plain" | "good" | "bad" | "told";
  readonly text: string;
  /** Where it leads. */
  readonly link?: { readonly label: string; readonly href: string };
}

export type Input =
  | { type: "connection"; connection: Connection }
  | { type: "subscribed"; since: number }
  | { type: "forgotten" }
  | { type: "event"; event: LogEvent }
  | { type: "delta"; delta: LogDelta }
  | { type: "sessions"; sessions: SessionInfo[] }
  | { type: "sessions-failed"; why: string }
  | { type: "session"; session: SessionInfo }
  | { type: "opened"; session: string }
  | { type: "turns"; session: string; turns: TurnPage[]; more: boolean; oldest: boolean }
  | { type: "turns-failed"; session: string; why: string }
  | { type: "approvals"; approvals: ListedApproval[] }
  | { type: "sending"; session: string; sent: Sent }
  | { type: "accepted"; session: string; id: string; run: string }
  | { type: "not-sent"; session: string; id: string; why: string }
  | { type: "taken-back"; session: string; id: string }
  | { type: "settings"; settings: Settings }
  | { type: "notices"; notices: NoticeInfo[] }
  | { type: "read"; read: Read }
  | { type: "changed"; what: "jobs" | "tasks" }
  | { type: "toast"; toast: Toast }
  | { type: "toast-over"; id: number };

export const START: State = {
  connection: "connecting",
  greeted: false,
  sessions: { is: "loading" },
  conversations: {},
  live: {},
  approvals: {},
  running: {},
  notices: [],
  read: NOTHING_READ,
  changes: { jobs: 0, tasks: 0 },
  toasts: [],
};

/** The calls of a screen that nobody has decided about. */
export function undecided(approval: Approval): readonly AskedCall[] {
  return approval.stopped ? [] : approval.calls.filter((call) => !approval.decisions[call.call]);
}

/** The screens that wait for the owner, the one that runs out first before the others. */
export function waiting(state: State): Approval[] {
  const open = Object.values(state.approvals).filter((approval) => undecided(approval).length > 0);
  return open.sort((a, b) => a.expiresAt.localeCompare(b.expiresAt) || a.id.localeCompare(b.id));
}
