// Clients that nobody here wrote, against the daemon: OpenAI's own library, a WebSocket and an EventSource from
// npm. Beside them the reference client of /v1, which somebody may copy.
import { LLMock } from "@copilotkit/aimock";
import { EventSource } from "eventsource";
import OpenAI from "openai";
import WebSocket from "ws";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import assert from "node:assert/strict";

const TOKEN = "independent-token";

/** Starts the daemon with this model server behind it. */
async function serve(steward, mock) {
  const home = mkdtempSync(join(tmpdir(), "steward-clients-"));
  const env = {
    PATH: process.env.PATH, HOME: home, STEWARD_HOME: home, STEWARD_TOKEN: TOKEN, STEWARD_PORT: "0",
    STEWARD_MODEL: "openai/gpt-test", OPENAI_API_KEY: "mock", OPENAI_BASE_URL: `${mock.url}/v1`,
  };
  const daemon = spawn(steward, ["serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: daemon.stdout })) {
    const address = line.match(/http:\/\/[^ /]+/)?.[0];
    if (address) return { address, stop: () => (daemon.kill(), rmSync(home, { recursive: true, force: true })) };
  }
  throw new Error("the daemon ended before it was ready");
}

export async function clients(steward, desktop, check) {
  const mock = new LLMock({ port: 0 });
  mock.addFixture({ match: { userMessage: "what time", hasToolResult: true }, response: { content: "Late." } });
  mock.onMessage("what time", { toolCalls: [{ name: "clock", arguments: {} }] });
  mock.onMessage("hello", { content: "Hi there!", usage: { prompt_tokens: 7, completion_tokens: 3 } });
  mock.onMessage("story", { content: "Once upon a time. ".repeat(200) });
  await mock.start();
  const { address, stop } = await serve(steward, mock);
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const openai = new OpenAI({ apiKey: TOKEN, baseURL: `${address}/v1`, maxRetries: 0 });
  const said = (content) => ({ model: "steward", messages: [{ role: "user", content }] });

  await check("OpenAI's library: an answer", async () => {
    const answer = await openai.chat.completions.create(said("hello"));
    assert.equal(answer.choices[0].message.content, "Hi there!");
    assert.equal(answer.choices[0].finish_reason, "stop");
    assert.deepEqual([answer.usage.prompt_tokens, answer.usage.completion_tokens], [7, 3]);
  });
  await check("OpenAI's library: a stream", async () => {
    const options = { ...said("a story"), stream: true, stream_options: { include_usage: true } };
    let [text, usage] = ["", null];
    for await (const chunk of await openai.chat.completions.create(options)) {
      text += chunk.choices[0]?.delta?.content ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, "Once upon a time. ".repeat(200));
    assert.ok(usage.total_tokens >= 0);
  });
  await check("OpenAI's library: a conversation it remembers itself", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: "Noted." },
      { role: "user", content: "hello" },
    ];
    const answer = await openai.chat.completions.create({ model: "steward", messages });
    assert.equal(answer.choices[0].message.content, "Hi there!");
    const seen = JSON.stringify(mock.getLastRequest().body.messages);
    assert.ok(["Be brief.", "I am Ada.", "Noted."].every((text) => seen.includes(text)), seen);
  });
  await check("OpenAI's library: models, and an error it understands", async () => {
    const models = [];
    for await (const model of openai.models.list()) models.push(model.id);
    assert.ok(models.includes("steward") && models.includes("openai/gpt-test"), models.join());
    const wrong = new OpenAI({ apiKey: "wrong", baseURL: `${address}/v1`, maxRetries: 0 });
    await assert.rejects(wrong.chat.completions.create(said("hello")), OpenAI.AuthenticationError);
  });
  await check("ws: a conversation over the socket", async () => {
    const socket = new WebSocket(`${address.replace("http", "ws")}/ws`);
    const frames = [];
    const waiting = [];
    socket.on("message", (data) => {
      frames.push(JSON.parse(data));
      waiting.splice(0).forEach((wake) => wake());
    });
    const find = async (wanted) => {
      for (;;) {
        const frame = frames.find(wanted);
        if (frame) return frame;
        await new Promise((wake) => waiting.push(wake));
      }
    };
    await new Promise((open) => socket.on("open", open));
    const send = (frame) => socket.send(JSON.stringify(frame));
    send({ type: "auth", token: TOKEN });
    await find((frame) => frame.type === "auth" && frame.ok);
    send({ id: "1", method: "sessions.create", params: {} });
    const { sessionKey } = (await find((frame) => frame.id === "1")).result;
    send({ id: "2", method: "chat.send", params: { sessionKey, message: "a story" } });
    const { runId } = (await find((frame) => frame.id === "2")).result;
    const final = await find((frame) => frame.event === "chat.final");
    assert.equal(final.data.runId, runId);
    const deltas = frames.filter((frame) => frame.event === "chat.delta").map((frame) => frame.data.text);
    assert.equal(deltas.join(""), "Once upon a time. ".repeat(200));
    socket.close();
  });
  await check("eventsource: a task's events, to the end and no further", async () => {
    const made = await fetch(`${address}/api/tasks`, { method: "POST", headers, body: '{"prompt":"hello"}' });
    const { id } = await made.json();
    const authorised = (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } });
    const source = new EventSource(`${address}/api/tasks/${id}/events`, { fetch: authorised });
    const types = [];
    source.addEventListener("message", (event) => types.push(JSON.parse(event.data).type));
    // It comes back after the end by itself, and is told that nothing follows.
    await new Promise((closed) => source.addEventListener("error", () => source.readyState === 2 && closed()));
    assert.deepEqual(types, ["status", "status", "agent_message", "completed"]);
  });
  await check("the reference client: lends its clock and prints the answer", async () => {
    const asking = promisify(execFile)(desktop, ["--url", address, "--token", TOKEN, "what time is it?"]);
    asking.child.stdin.end();
    assert.equal((await asking).stdout.trim(), "Late.");
    const results = JSON.stringify(mock.getLastRequest().body.messages);
    assert.match(results, /\d\d:\d\d:\d\d/, "the model was told the time");
  });
  stop();
  await mock.stop();
}
