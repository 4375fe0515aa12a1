// What the tests of the page stand on: a browser, houses with a scripted model behind them, and pages that notice what
// must never happen (a dialog, a request to anywhere else, a broken policy, an error nobody caught).
import { LLMock } from "@copilotkit/aimock";
import { chromium } from "playwright-core";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

export const TOKEN = "token-of-the-page-tests";
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

// Whatever ends the tests, no daemon stays behind.
const daemons = new Set();
process.on("exit", () => daemons.forEach((daemon) => daemon.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

export const DESK = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** The browser all tests share; each visit has its own cookies. */
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
  if (!executablePath) throw new Error("Chromium is missing: `scripts/setup test` installs it");
  // Chromium refuses to confine itself for root.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** A model that follows a script: what the owner's message contains decides what it says. */
export class Model extends LLMock {
  constructor() {
    super({ port: 0, logLevel: "silent" });
  }

  /** Says `content` to messages with these words. */
  says(words, content, pace = {}) {
    return this.on({ userMessage: words }, { content, usage: { prompt_tokens: 1200, completion_tokens: 300 } }, pace);
  }

  /** Calls tools, `[name, arguments]` each, and says `content` once it has their results. */
  calls(words, calls, content) {
    this.on({ userMessage: words, hasToolResult: true }, { content });
    const toolCalls = calls.map(([name, given]) => ({ name, arguments: given }));
    return this.on({ userMessage: words, hasToolResult: false }, { toolCalls });
  }
}

/** Text that comes slowly enough to be watched: about `seconds` for all of it. */
export function slowly(text, seconds) {
  const chunkSize = 8;
  return { chunkSize, latency: Math.ceil((seconds * 1000) / (text.length / chunkSize)) };
}

/** A home with a daemon in it. Without `model` it is as on the first day. */
export class House {
  constructor(steward, model, extra = {}) {
    this.steward = steward;
    this.model = model;
    this.home = mkdtempSync(join(tmpdir(), "steward-page-"));
    this.workspace = join(this.home, "workspace");
    mkdirSync(this.workspace);
    const keys = model ? { STEWARD_MODEL: "openai/gpt-test", OPENAI_API_KEY: "mock-key", OPENAI_BASE_URL: `${model.url}/v1` } : {};
    this.env = { PATH: process.env.PATH, HOME: this.home, STEWARD_HOME: this.home, STEWARD_TOKEN: TOKEN, ...keys, ...extra };
  }

  /** Starts the daemon; a second time, where it was before. */
  async start() {
    const port = this.address ? new URL(this.address).port : "0";
    const stdio = ["ignore", "pipe", process.env.VERBOSE ? "inherit" : "ignore"];
    this.daemon = spawn(this.steward, ["serve"], { env: { ...this.env, STEWARD_PORT: port }, stdio });
    daemons.add(this.daemon);
    for await (const line of createInterface({ input: this.daemon.stdout })) {
      this.address = line.match(/http:\/\/[^ /]+/)?.[0];
      if (this.address) return this;
    }
    throw new Error("the daemon ended before it was ready");
  }

  /** Kills the daemon as a power cut would. */
  async kill() {
    const gone = new Promise((resolve) => this.daemon.once("exit", resolve));
    this.daemon.kill("SIGKILL");
    await gone;
    daemons.delete(this.daemon);
  }

  async stop() {
    await this.kill();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Runs the command line of this house. */
  async cli(...args) {
    const done = run(this.steward, args, { env: { ...this.env, STEWARD_PORT: new URL(this.address).port }, timeout: 20_000 });
    done.child.stdin.end();
    return (await done).stdout;
  }

  async signInLink() {
    return (await this.cli("open")).match(/http:\S+/)[0];
  }

  /** Asks over HTTP, with the token. */
  async api(path, body) {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const method = body ? "POST" : "GET";
    const answer = await fetch(`${this.address}${path}`, { method, headers, body: body && JSON.stringify(body) });
    return answer.json();
  }
}

/** Opens a browser of its own: `page` at this house, and `broken`, what happened that must not. */
export async function visit(browser, house, options = {}) {
  const { signedIn = true, path = "/", ...rest } = options;
  const context = await browser.newContext({ viewport: DESK, reducedMotion: "reduce", ...rest });
  context.setDefaultTimeout(10_000);
  const broken = [];
  await context.exposeBinding("__broken", (_, what) => broken.push(what));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => window.__broken(`policy ${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile ?? ""}`));
  });
  context.on("page", (page) => watch(page, house, broken));
  if (signedIn) await context.request.post(`${house.address}/login`, { data: { token: TOKEN } });
  const page = await context.newPage();
  await page.goto(house.address + path);
  return { context, page, broken };
}

function watch(page, house, broken) {
  page.on("dialog", (dialog) => {
    broken.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => broken.push(`an error: ${error.stack}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== "about:blank" && !/^blob:/.test(url) && new URL(url).host !== new URL(house.address).host) broken.push(`a request to ${url}`);
  });
  page.on("popup", (popup) => broken.push(`a window: ${popup.url()}`));
  page.on("console", (message) => {
    // A house that was killed does not answer; that is said in the browser's log and is no mistake of the page.
    if (message.type() === "error" && !/ERR_CONNECTION|ERR_INCOMPLETE|WebSocket connection/.test(message.text())) broken.push(`the console: ${message.text()}`);
  });
}
