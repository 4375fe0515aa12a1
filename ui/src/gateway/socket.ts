// One connection to the gateway that comes back by itself. Requests made while it is away wait and are sent when
// it is back; those whose answer was lost are sent again only if that does no harm.
import type { Method, Params, Result } from "./frames";

/** A request the gateway refused, with its code. */
export class Refused extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export type Connection = "connecting" | "open" | "away" | "signed-out";

export interface SocketEvents {
  connection(state: Connection): void;
  push(event: string, data: unknown): void;
}

interface Waiting {
  frame: string;
  method: Method;
  sent: boolean;
  answer(result: unknown): void;
  fail(error: Error): void;
}

/** Sent twice, these do no more than once: they only read, or the gateway recognises the repeat. */
const REPEATABLE = /\.(list|get|turns|search|read|check|detect|summary|verify)$|^chat\.(send|abort)$|^exec\./;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** The gateway pings only below the page's sight; a socket that is open but silent is found by asking. */
const CHECK_EVERY_MS = 25_000;

export class Socket {
  private socket?: WebSocket;
  private signedIn = false;
  private pause = FIRST_PAUSE_MS;
  private retry?: ReturnType<typeof setTimeout>;
  private check?: ReturnType<typeof setInterval>;
  private count = 0;
  private waiting = new Map<string, Waiting>();

  constructor(
    private readonly url: string,
    private readonly events: SocketEvents,
  ) {}

  /** Connects, or tries again at once. */
  connect(): void {
    clearTimeout(this.retry);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    this.events.connection("connecting");
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ type: "auth" }));
    socket.onmessage = (message) => this.take(JSON.parse(message.data as string) as Frame);
    socket.onclose = (close) => this.lost(socket, close.code);
  }

  /** Asks, and waits as long as it takes, through lost connections too. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const id = String(++this.count);
    return new Promise<Result<M>>((resolve, fail) => {
      const frame = JSON.stringify({ id, method, params });
      const answer = (result: unknown) => resolve(result as Result<M>);
      const waiting: Waiting = { frame, method, sent: false, answer, fail };
      this.waiting.set(id, waiting);
      if (this.signedIn) this.send(waiting);
    });
  }

  private send(waiting: Waiting): void {
    waiting.sent = true;
    this.socket?.send(waiting.frame);
  }

  private take(frame: Frame): void {
    if (frame.type === "auth") {
      if (frame.ok) this.opened();
      else this.events.connection("signed-out");
    } else if (frame.event !== undefined) {
      this.events.push(frame.event, frame.data);
    } else {
      const id = String(frame.id);
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (frame.error) waiting?.fail(new Refused(frame.error.code, frame.error.message));
      else waiting?.answer(frame.result);
    }
  }

  private opened(): void {
    this.pause = FIRST_PAUSE_MS;
    this.signedIn = true;
    const before = [...this.waiting.values()];
    // Whoever hears of this asks for what was missed first; then go the requests from before.
    this.events.connection("open");
    for (const waiting of before) this.send(waiting);
    clearInterval(this.check);
    this.check = setInterval(() => this.alive(), CHECK_EVERY_MS);
  }

  private alive(): void {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    const late = setTimeout(() => socket.close(), 10_000);
    const heard = () => clearTimeout(late);
    socket.addEventListener("message", heard, { once: true });
    socket.send(JSON.stringify({ id: "alive", method: "health.check" }));
  }

  private lost(socket: WebSocket, code: number): void {
    if (socket !== this.socket) return;
    this.signedIn = false;
    clearInterval(this.check);
    for (const [id, waiting] of this.waiting) {
      if (!waiting.sent || REPEATABLE.test(waiting.method)) continue;
      this.waiting.delete(id);
      waiting.fail(
        new Error("The connection was lost before Steward answered. Look whether it was done, then try again."),
      );
    }
    if (code === 4401 || code === 4408) {
      this.events.connection("signed-out");
      return;
    }
    this.events.connection("away");
    this.retry = setTimeout(() => this.connect(), this.pause * (0.75 + Math.random() / 2));
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }
}

interface Frame {
  type?: string;
  ok?: boolean;
  id?: string | number | null;
  result?: unknown;
  error?: { code: number; message: string };
  event?: string;
  data?: unknown;
}
