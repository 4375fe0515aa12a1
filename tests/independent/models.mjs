// Model servers that nobody here wrote: both dialects, text and tool calls, end to end.
import { LLMock } from "@copilotkit/aimock";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import assert from "node:assert/strict";

const run = promisify(execFile);

export async function models(steward, check) {
  const mock = new LLMock({ port: 0 });
  mock.onMessage("use a tool", { toolCalls: [{ name: "no_such_tool", arguments: { a: 1 } }] });
  mock.onMessage("long story", { content: "Once upon a time. ".repeat(200) });
  mock.onMessage("umlauts", { content: "Grüße, 日本語 🚀 — naïve" });
  const usage = { input_tokens: 7, output_tokens: 3, prompt_tokens: 7, completion_tokens: 3 };
  mock.onMessage("hello", { content: "Hi there!", usage });
  await mock.start();

  const dialects = [
    ["anthropic/claude-test", { ANTHROPIC_API_KEY: "mock", ANTHROPIC_BASE_URL: mock.url }],
    ["openai/gpt-test", { OPENAI_API_KEY: "mock", OPENAI_BASE_URL: `${mock.url}/v1` }],
  ];
  for (const [model, env] of dialects) {
    const home = mkdtempSync(join(tmpdir(), "steward-independent-"));
    const ask = async (message) => {
      const options = { env: { PATH: process.env.PATH, HOME: home, STEWARD_HOME: home, ...env }, timeout: 30_000 };
      const asking = run(steward, ["ask", message, "--model", model, "--json"], options);
      asking.child.stdin.end();
      return JSON.parse((await asking).stdout);
    };
    await check(`${model}: a plain answer`, async () => {
      const answer = await ask("hello");
      assert.equal(answer.text, "Hi there!");
      assert.equal(answer.outcome.status, "completed");
      assert.deepEqual(answer.usage, { inputTokens: 7, outputTokens: 3 });
    });
    await check(`${model}: an answer in many pieces`, async () => {
      assert.equal((await ask("a long story")).text, "Once upon a time. ".repeat(200));
    });
    await check(`${model}: text beyond ASCII`, async () => {
      assert.equal((await ask("umlauts")).text, "Grüße, 日本語 🚀 — naïve");
    });
    await check(`${model}: a tool call that does not exist is answered and the turn comes to its end`, async () => {
      // The mock proposes the same call every time, so the limit is what ends the turn.
      env.STEWARD_AGENT_MAX_ITERATIONS = "3";
      const answer = await ask("use a tool");
      const transcript = readFileSync(join(home, "data/sessions/terminal--default.jsonl"), "utf8");
      assert.equal(answer.outcome.status, "limit_reached");
      const roles = transcript.trim().split("\n").map((line) => JSON.parse(line).role).slice(-8);
      assert.equal(roles.filter((role) => role === "tool_use").length, 3);
      assert.equal(roles.filter((role) => role === "tool_result").length, 3);
    });
    rmSync(home, { recursive: true, force: true });
  }
  await mock.stop();
}
