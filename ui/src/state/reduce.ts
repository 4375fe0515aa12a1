// The one function that changes what the page knows. It is pure: the same inputs give the same page.
import type { ListedApproval, LogDelta, LogEvent, SessionInfo, TurnPage } from "../gateway/frames";
import { withNotices } from "./notices";
import { type Approval, type Conversation, type Input, type Live, type Sent, START, type State } from "./state";
import { add, EMPTY } from "./stream";
import { newTurn, type Turn, withEvents } from "./turn";

/** The turn of what belongs to none. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

export function reduce(state: State, input: Input): State {
  switch (input.type) {
    case "connection": {
      const greeted = state.greeted || input.connection === "open";
      return { ...state, connection: input.connection, greeted };
    }
    case "subscribed":
      return { ...state, seq: state.seq ?? input.since };
    case "forgotten":
      return { ...START, connection: state.connection, greeted: state.greeted, settings: state.settings, read: state.read };
    case "event":
      return event(state, input.event);
    case "delta":
      return delta(state, input.delta);
    case "sessions":
      return { ...state, sessions: { is: "here", value: input.sessions } };
    case "sessions-failed":
      // A list that is there stays: old is better than none.
      return state.sessions.is === "here" ? state : { ...state, sessions: { is: "failed", why: input.why } };
    case "session":
      return changeSession(state, input.session.sessionKey, () => input.session);
    case "opened": {
      const conversation = state.conversations[input.session] ?? empty(input.session);
      return conversed(state, { ...conversation, loading: true, failed: undefined });
    }
    case "turns":
      return turns(state, input.session, input.turns, input.more, input.oldest);
    case "turns-failed":
      return change(state, input.session, (was) => ({ ...was, loading: false, failed: input.why }));
    case "approvals":
      return input.approvals.reduce(listed, state);
    case "sending": {
      const was = state.conversations[input.session] ?? empty(input.session);
      const others = was.outbox.filter((sent) => sent.id !== input.sent.id);
      return conversed(state, { ...was, outbox: [...others, input.sent] });
    }
    case "accepted":
      return change(state, input.session, (was) => settle(mark(was, input.id, { is: "queued", run: input.run })));
    case "not-sent":
      return change(state, input.session, (was) => mark(was, input.id, { is: "failed", why: input.why }));
    case "taken-back":
      return change(state, input.session, (was) => ({
        ...was,
        outbox: was.outbox.filter((sent) => sent.id !== input.id),
      }));
    case "settings":
      return { ...state, settings: input.settings };
    case "notices":
      return { ...state, notices: withNotices(state.notices, input.notices) };
    case "read":
      return { ...state, read: input.read };
    case "changed":
      return { ...state, changes: { ...state.changes, [input.what]: state.changes[input.what] + 1 } };
    case "toast":
      return { ...state, toasts: [...state.toasts, input.toast].slice(-3) };
    case "toast-over":
      return { ...state, toasts: state.toasts.filter((toast) => toast.id !== input.id) };
  }
}

function empty(key: string): Conversation {
  return { key, loading: false, loaded: false, more: false, turns: [], outbox: [] };
}

function conversed(state: State, conversation: Conversation): State {
  return { ...state, conversations: { ...state.conversations, [conversation.key]: conversation } };
}

function change(state: State, key: string, how: (was: Conversation) => Conversation): State {
  const was = state.conversations[key];
  return was ? conversed(state, how(was)) : state;
}

function mark(was: Conversation, id: string, how: Partial<Sent>): Conversation {
  return { ...was, outbox: was.outbox.map((sent) => (sent.id === id ? { ...sent, ...how } : sent)) };
}

/** Without the messages that became turns, or joined one. */
function settle(was: Conversation): Conversation {
  if (was.outbox.length === 0) return was;
  const begun = new Set(was.turns.filter((turn) => turn.events.length > 0).map((turn) => turn.id));
  const joined = was.turns.flatMap((turn) =>
    turn.events.flatMap((event) => (event.kind === "turn.steered" ? [event.message] : [])),
  );
  for (const id of joined) begun.add(id);
  const outbox = was.outbox.filter((sent) => !(sent.run && begun.has(sent.run)));
  return outbox.length === was.outbox.length ? was : { ...was, outbox };
}

function event(before: State, event: LogEvent): State {
  if (before.seq !== undefined && event.seq <= before.seq) return before;
  let state: State = { ...before, seq: event.seq };
  if (event.kind === "notice") {
    const { seq, at, session: sessionKey, notice } = event;
    state = { ...state, notices: withNotices(state.notices, [{ seq, at, sessionKey, notice }]) };
  }
  if (event.turn === NOBODY) return state;
  state = tellLive(state, event);
  state = tellApprovals(state, event);
  if (event.kind === "turn.started") {
    const at = event.at;
    // A message that is taken back begins and ends in the log while another turn runs; that one goes on.
    state = { ...state, running: { [event.session]: event.turn, ...state.running } };
    state = changeSession(state, event.session, (was) => ({ ...was, updatedAt: at, turns: was.turns + 1 }));
  } else if (event.kind === "turn.finished" && state.running[event.session] === event.turn) {
    const { [event.session]: _over, ...running } = state.running;
    state = { ...state, running };
  }
  return change(state, event.session, (was) => settle(withTurn(was, event.turn, [event])));
}

function withTurn(was: Conversation, id: string, events: readonly LogEvent[]): Conversation {
  const old = was.turns.find((turn) => turn.id === id);
  const turn = withEvents(old ?? newTurn(was.key, id), events);
  if (turn === old || turn.events.length === 0) return was;
  const turns = old ? was.turns.map((each) => (each === old ? turn : each)) : place(was.turns, turn);
  return { ...was, turns };
}

/** Turns stand in the order in which they began. */
function place(turns: readonly Turn[], turn: Turn): readonly Turn[] {
  const began = (each: Turn) => each.events[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const at = turns.findLastIndex((each) => began(each) < began(turn)) + 1;
  return [...turns.slice(0, at), turn, ...turns.slice(at)];
}

function turns(state: State, key: string, pages: TurnPage[], more: boolean, oldest: boolean): State {
  const was = state.conversations[key] ?? empty(key);
  let now = pages.reduce((all, page) => withTurn(all, page.runId, page.events), was);
  const queued = pages.filter((page) => page.queued && !now.outbox.some((sent) => sent.run === page.runId));
  const outbox = queued.map(
    (page): Sent => ({ id: page.runId, run: page.runId, text: page.message ?? "", at: "", is: "queued" }),
  );
  now = settle({ ...now, loading: false, loaded: true, failed: undefined, outbox: [...now.outbox, ...outbox] });
  // The latest page, fetched again, says nothing of what lies before the pages that are here already.
  const next = conversed(state, { ...now, more: oldest || !was.loaded ? more : was.more });
  const last = now.turns.findLast((turn) => !turn.outcome);
  const running = last && { [key]: last.id, ...next.running };
  const withRunning = running ? { ...next, running } : next;
  return now.turns.flatMap((turn) => turn.events).reduce(tellApprovals, withRunning);
}

function tellLive(state: State, event: LogEvent): State {
  const { turn } = event;
  const was = state.live[turn];
  switch (event.kind) {
    case "model.asked": {
      if (was && was.attempt >= event.attempt) return state;
      return { ...state, live: { ...state.live, [turn]: listening(event.session, event.attempt) } };
    }
    case "model.done":
    case "model.failed":
    case "turn.aborted":
      // The log has the answer now; what streamed was only its shadow.
      return was
        ? { ...state, live: { ...state.live, [turn]: { ...listening(event.session, was.attempt), closed: true } } }
        : state;
    case "call.done":
      return was?.progress ? { ...state, live: { ...state.live, [turn]: { ...was, progress: undefined } } } : state;
    case "turn.finished": {
      const { [turn]: _over, ...live } = state.live;
      return { ...state, live };
    }
    default:
      return state;
  }
}

function listening(session: string, attempt: number): Live {
  return { session, attempt, text: EMPTY, thinking: EMPTY, closed: false };
}

function delta(state: State, delta: LogDelta): State {
  const known = state.conversations[delta.session]?.turns.find((turn) => turn.id === delta.turn);
  if (known?.outcome) return state;
  const was = state.live[delta.turn];
  if (delta.kind === "progress") {
    const live = was ?? { ...listening(delta.session, delta.attempt), closed: true };
    const progress = { tool: delta.tool ?? "", text: delta.text };
    return { ...state, live: { ...state.live, [delta.turn]: { ...live, progress } } };
  }
  if (was && (delta.attempt < was.attempt || (delta.attempt === was.attempt && was.closed))) return state;
  const live = was?.attempt === delta.attempt ? was : listening(delta.session, delta.attempt);
  const next = { ...live, [delta.kind]: add(live[delta.kind], delta) };
  return { ...state, live: { ...state.live, [delta.turn]: next } };
}

function tellApprovals(state: State, event: LogEvent): State {
  const put = (approval: Approval): State => ({ ...state, approvals: { ...state.approvals, [approval.id]: approval } });
  switch (event.kind) {
    case "approval.requested": {
      const was = state.approvals[event.approval];
      if (was && was.calls.length > 0) return state;
      const { approval: id, session, turn, calls, forecast, expires_at: expiresAt } = event;
      return put({ decisions: {}, stopped: false, ...was, id, session, turn, calls, forecast, expiresAt });
    }
    case "approval.decided": {
      const fresh: Approval = {
        id: event.approval,
        session: event.session,
        turn: event.turn,
        calls: [],
        expiresAt: "",
        decisions: {},
        stopped: false,
      };
      const was = state.approvals[event.approval] ?? fresh;
      const decided = Object.fromEntries(event.decisions.map((decision) => [decision.call, decision]));
      return put({ ...was, by: event.by, decisions: { ...was.decisions, ...decided } });
    }
    case "turn.finished": {
      const left = Object.values(state.approvals).filter(
        (approval) => approval.turn === event.turn && !approval.stopped,
      );
      const stopped = Object.fromEntries(left.map((approval) => [approval.id, { ...approval, stopped: true }]));
      return left.length > 0 ? { ...state, approvals: { ...state.approvals, ...stopped } } : state;
    }
    default:
      return state;
  }
}

function listed(state: State, listed: ListedApproval): State {
  const was = state.approvals[listed.approvalId];
  if (was && was.calls.length > 0) return state;
  const calls = listed.calls.map(({ callId, toolName, workingDir, ...call }) => ({
    ...call,
    call: callId,
    tool: toolName,
    cwd: workingDir,
  }));
  const { approvalId: id, sessionKey: session, runId: turn, expiresAt } = listed;
  const forecast = listed.forecast ?? undefined;
  const approval: Approval = { decisions: {}, stopped: false, ...was, id, session, turn, expiresAt, calls, forecast };
  return { ...state, approvals: { ...state.approvals, [id]: approval } };
}

function changeSession(state: State, key: string, how: (was: SessionInfo) => SessionInfo): State {
  if (state.sessions.is !== "here") return state;
  const was = state.sessions.value.find((session) => session.sessionKey === key);
  if (!was) return state;
  const others = state.sessions.value.filter((session) => session !== was);
  const value = [...others, how(was)].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  return { ...state, sessions: { is: "here", value } };
}
