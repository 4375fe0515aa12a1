// A conversation whose events are played to the page over its own socket: the page folds them as it folds any, and the
// house behind it knows nothing of them. For what would take long to bring about, or must stand still to be looked at.

/** Far beyond what a house in a test writes. */
const FIRST_SEQ = 1_000_000;

export class Play {
  constructor(session = "played") {
    this.session = session;
    this.turn = "0199a000-0000-7000-8000-000000000001";
    this.events = [];
    /** What the page answered: `[method, params]` each. */
    this.answers = [];
  }

  /** Stands between the page and its house. The page is to be opened, or opened again, afterwards. */
  async join(page) {
    await page.routeWebSocket(/\/ws$/, (socket) => {
      const house = socket.connectToServer();
      this.socket = socket;
      socket.onMessage((text) => {
        const { id, method, params } = JSON.parse(text);
        const answer = (result) => socket.send(JSON.stringify({ id, result }));
        if (method === "sessions.turns" && params.sessionKey === this.session) {
          const over = this.events.at(-1)?.kind === "turn.finished";
          answer({ turns: this.events.length > 0 ? [{ runId: this.turn, over, events: this.events }] : [], more: false });
        } else if (method === "exec.approve" || method === "exec.deny") {
          this.answers.push([method, params]);
          answer({ ok: true });
        } else house.send(text);
      });
      house.onMessage((text) => socket.send(text));
    });
  }

  /** What happened before the page is opened. */
  before(...facts) {
    for (const fact of facts) this.#log(fact);
    return this;
  }

  /** What happens now. */
  now(...facts) {
    for (const fact of facts) this.socket.send(JSON.stringify({ event: "log.event", data: this.#log(fact) }));
  }

  #log(fact) {
    const at = new Date(Date.UTC(2026, 0, 5, 10) + this.events.length * 400).toISOString();
    const event = { seq: FIRST_SEQ + this.events.length, session: this.session, turn: this.turn, at, ...fact };
    this.events.push(event);
    return event;
  }
}

const USAGE = { input_tokens: 1200, output_tokens: 300 };

export const said = (text) => ({ kind: "turn.started", trigger: { source: "web", external_id: "m", kind: "message", content: [{ type: "text", text }] } });
export const answered = (text) => ({ kind: "model.done", model: "openai/gpt-test", blocks: [{ type: "text", text }], stop: "end_turn", usage: USAGE });
export const finished = { kind: "turn.finished", outcome: { status: "completed" } };

/** The model hands in a program, which is about to be checked. */
export const wrote = (id, code) => [
  { kind: "model.done", model: "openai/gpt-test", blocks: [{ type: "call", id, tool: "run_code", arguments: JSON.stringify({ code }) }], stop: "tool_use", usage: USAGE },
  { kind: "calls.judged", judgements: [{ call: id, verdict: "allow" }] },
  { kind: "call.started", call: id },
];
export const fits = (call) => ({ kind: "program.started", call, program: { javascript: "", paths: [], seed: 1, now_ms: 0, engine: "test" } });

/** A program asks for calls, `[id, tool, arguments]` each. */
export const asks = (program, calls, verdict, console = "") => [
  { kind: "program.asked", program, calls: calls.map(([id, tool, given]) => ({ id, wire_id: "", tool, arguments: JSON.stringify(given) })), told: 0, console },
  { kind: "calls.judged", judgements: calls.map(([call]) => ({ call, verdict, risk: "risky", reason: "it changes something outside" })) },
];
export const started = (call) => ({ kind: "call.started", call });
export const done = (call, status = "succeeded", output = "Done.") => ({ kind: "call.done", result: { call, status, output } });
export const ended = (program, end, console = "") => ({ kind: "program.ended", program, console, ...end });
