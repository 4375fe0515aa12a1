// Joins the socket and the state, and names what a person can do. Views are handed this; elements never are.
import type { LogDelta, LogEvent, Method, Params, Result } from "./gateway/frames";
import type { NoticeInfo } from "./gateway/orders";
import { type Connection, Refused, Socket } from "./gateway/socket";
import { address, place } from "./router";
import { NOTHING_READ, type Read, readAll, readIn, speaker } from "./state/notices";
import type { Sent, Toast } from "./state/state";
import { Store } from "./state/store";
import { plain, upper } from "./words";

/** How many turns are fetched at once. */
const PAGE_TURNS = 30;

const TOAST_MS = 5000;

/** A browser shows so many of the latest notices between the turns they came between. */
const NOTICES = 200;

/** What of the notices was read, kept in this browser. */
const READ = "steward.read";

/** As much of a notice as a toast has room for. */
const TOAST_CHARS = 140;

export class House {
  readonly store = new Store();
  private readonly socket: Socket;
  private toasts = 0;
  private relisting?: ReturnType<typeof setTimeout>;

  constructor() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new Socket(`${scheme}://${location.host}/ws`, {
      connection: (connection) => this.connection(connection),
      push: (event, data) => this.push(event, data),
    });
    this.store.dispatch({ type: "read", read: keptRead() });
  }

  connect(): void {
    this.socket.connect();
  }

  /** Asks the gateway; what it refuses is thrown as `Refused`, in words for people. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.socket.call(method, params);
  }

  /** A short word at the bottom of the page. */
  say(text: string, tone: Toast["tone"] = "plain", link?: Toast["link"]): void {
    const id = ++this.toasts;
    this.store.dispatch({ type: "toast", toast: { id, text, tone, link } });
    const long = tone === "bad" || link !== undefined;
    setTimeout(() => this.store.dispatch({ type: "toast-over", id }), long ? 2 * TOAST_MS : TOAST_MS);
  }

  /** All notices were shown, or those of one conversation. */
  noticed(session?: string): void {
    const { notices, read } = this.store.state;
    const next = session === undefined ? readAll(notices, read) : readIn(notices, read, session);
    if (next === read) return;
    this.store.dispatch({ type: "read", read: next });
    localStorage.setItem(READ, JSON.stringify(next));
  }

  /** Does something whose failure is told at the bottom of the page; gives whether it went well. */
  async attempt(what: () => Promise<unknown>): Promise<boolean> {
    try {
      await what();
      return true;
    } catch (error) {
      this.say(words(error), "bad");
      return false;
    }
  }

  async signIn(token: string): Promise<void> {
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/login", { method: "POST", headers, body: JSON.stringify({ token: token.trim() }) });
    if (answer.ok) return this.connect();
    if (answer.status === 401) throw new Error("That is not the token. `steward token show` prints the right one.");
    if (answer.status === 429) throw new Error("Too many wrong tokens. Wait a minute, then try again.");
    throw new Error("Steward could not check the token. Try again.");
  }

  async signOut(): Promise<void> {
    await fetch("/logout", { method: "POST" });
    location.reload();
  }

  /** Shows a session: fetches its latest turns, and follows it from now on. */
  async open(session: string): Promise<void> {
    this.store.dispatch({ type: "opened", session });
    try {
      const page = await this.call("sessions.turns", { sessionKey: session, limit: PAGE_TURNS });
      this.store.dispatch({ type: "turns", session, ...page, oldest: false });
    } catch (error) {
      // A session nobody has spoken in yet is none; it becomes one with its first message.
      if (error instanceof Refused && error.code === -32004) {
        this.store.dispatch({ type: "turns", session, turns: [], more: false, oldest: true });
      } else this.store.dispatch({ type: "turns-failed", session, why: words(error) });
    }
  }

  /** Fetches the turns before those that are here. */
  async older(session: string): Promise<void> {
    const conversation = this.store.state.conversations[session];
    const before = conversation?.turns[0]?.id;
    if (!before || conversation.loading || !conversation.more) return;
    this.store.dispatch({ type: "opened", session });
    try {
      const page = await this.call("sessions.turns", { sessionKey: session, before, limit: PAGE_TURNS });
      this.store.dispatch({ type: "turns", session, ...page, oldest: true });
    } catch (error) {
      this.store.dispatch({ type: "turns-failed", session, why: words(error) });
    }
  }

  /** Sends a message, or sends one again that failed. It counts once, however often it is sent. */
  async send(session: string, text: string, again?: Sent, model?: string): Promise<void> {
    const id = again?.id ?? newId();
    const sent: Sent = { id, text, at: new Date().toISOString(), is: "sending", model: model ?? again?.model };
    this.store.dispatch({ type: "sending", session, sent });
    try {
      const params = { sessionKey: session, message: text, clientMessageId: id, model: sent.model };
      const { runId } = await this.call("chat.send", params);
      this.store.dispatch({ type: "accepted", session, id, run: runId });
    } catch (error) {
      this.store.dispatch({ type: "not-sent", session, id, why: words(error) });
    }
  }

  /** Takes back a message that has not begun. */
  async takeBack(session: string, sent: Sent): Promise<void> {
    const { run } = sent;
    if (run) await this.attempt(() => this.call("chat.abort", { runId: run }));
    this.store.dispatch({ type: "taken-back", session, id: sent.id });
  }

  /** Stops the turn under way in a session. */
  async stop(session: string): Promise<void> {
    const runId = this.store.state.running[session];
    if (runId) await this.attempt(() => this.call("chat.abort", { runId }));
  }

  async approve(approvalId: string, callIds?: string[], rule?: string): Promise<void> {
    await this.decide(() => this.call("exec.approve", { approvalId, callIds, rule }));
  }

  async deny(approvalId: string, reason?: string): Promise<void> {
    await this.decide(() => this.call("exec.deny", { approvalId, reason: reason || undefined }));
  }

  /** For the events of approval cards. */
  readonly onApprove = ({ detail }: CustomEvent<{ id: string; calls?: string[]; rule?: string }>): void => {
    void this.approve(detail.id, detail.calls, detail.rule);
  };

  readonly onDeny = ({ detail }: CustomEvent<{ id: string; reason?: string }>): void => {
    void this.deny(detail.id, detail.reason);
  };

  private async decide(what: () => Promise<unknown>): Promise<void> {
    try {
      await what();
    } catch (error) {
      // Somebody, or the clock, was quicker; the log says who, and the page shows it already.
      const late = error instanceof Refused && (error.code === -32009 || error.code === -32010);
      this.say(late ? "This was decided before." : words(error), late ? "plain" : "bad");
    }
  }

  async rename(sessionKey: string, title: string): Promise<void> {
    await this.attempt(async () => {
      const { session } = await this.call("sessions.rename", { sessionKey, title });
      this.store.dispatch({ type: "session", session });
    });
  }

  async archive(sessionKey: string, archived: boolean): Promise<void> {
    await this.attempt(async () => {
      await this.call("sessions.archive", { sessionKey, archived });
      await this.list();
    });
  }

  /** Fetches the list of sessions. */
  async list(): Promise<void> {
    try {
      const { sessions } = await this.call("sessions.list", { limit: 500 });
      this.store.dispatch({ type: "sessions", sessions });
    } catch (error) {
      this.store.dispatch({ type: "sessions-failed", why: words(error) });
    }
  }

  async refreshSettings(): Promise<void> {
    await this.attempt(async () => {
      const settings = await this.call("settings.get", {});
      this.store.dispatch({ type: "settings", settings });
    });
  }

  private connection(connection: Connection): void {
    this.store.dispatch({ type: "connection", connection });
    if (connection === "open") void this.follow();
  }

  /** Asks for everything that happened since the last event, then for what the log does not tell. */
  private async follow(): Promise<void> {
    const { seq } = this.store.state;
    try {
      const { since } = await this.call("events.subscribe", { since: seq, deltas: true });
      this.store.dispatch({ type: "subscribed", since });
    } catch (error) {
      if (!(error instanceof Refused)) return;
      // The log is not the one the page knew: begin anew, and fetch what is shown.
      const shown = Object.keys(this.store.state.conversations);
      this.store.dispatch({ type: "forgotten" });
      if (seq !== undefined) void this.follow();
      for (const session of shown) void this.open(session);
      return;
    }
    void this.list();
    void this.refreshSettings();
    for (const what of ["jobs", "tasks"] as const) this.store.dispatch({ type: "changed", what });
    void this.attempt(async () => {
      const { notices } = await this.call("notices.list", { limit: NOTICES });
      this.store.dispatch({ type: "notices", notices });
    });
    void this.attempt(async () => {
      const { approvals } = await this.call("approvals.list", {});
      this.store.dispatch({ type: "approvals", approvals });
    });
  }

  private push(event: string, data: unknown): void {
    if (event === "log.event") {
      const logged = data as LogEvent;
      this.store.dispatch({ type: "event", event: logged });
      // Titles are made elsewhere: a session's first words, or what a turn made of them.
      if (logged.kind === "turn.started" || logged.kind === "turn.finished" || logged.kind === "notice") this.relist();
      if (logged.kind === "notice") this.tellNotice({ ...logged, sessionKey: logged.session });
    } else if (event === "log.delta") {
      this.store.dispatch({ type: "delta", delta: data as LogDelta });
    } else if (event === "jobs.changed" || event === "tasks.changed") {
      this.store.dispatch({ type: "changed", what: event === "jobs.changed" ? "jobs" : "tasks" });
    }
  }

  /** Who looks at the conversation it was told in sees it there already. */
  private tellNotice({ sessionKey, notice }: NoticeInfo): void {
    const { view, argument } = place();
    const listed = view === "notices";
    if (!document.hidden && (listed || (view === "chat" && argument === sessionKey))) {
      return this.noticed(listed ? undefined : sessionKey);
    }
    const text = plain(notice.text);
    const { kind, name } = speaker(notice.from);
    const short = text.length > TOAST_CHARS ? `${text.slice(0, TOAST_CHARS)}…` : text;
    const link = notice.approval
      ? { label: "Decide", href: address("waiting") }
      : { label: "Open", href: address("chat", sessionKey) };
    this.say(`${name ? `${kind} ${name}` : kind}: ${short}`, "told", link);
  }

  private relist(): void {
    clearTimeout(this.relisting);
    this.relisting = setTimeout(() => void this.list(), 300);
  }
}

function keptRead(): Read {
  try {
    const { to, apart } = JSON.parse(localStorage.getItem(READ) ?? "{}") as Partial<Read>;
    return { to: Number(to) || 0, apart: Array.isArray(apart) ? apart.map(Number) : [] };
  } catch {
    return NOTHING_READ;
  }
}

/** What went wrong, in words for people. */
export function words(error: unknown): string {
  return upper(error instanceof Error ? error.message : String(error));
}

/** A name nobody else has. `randomUUID` is there only on pages the browser calls secure. */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
