// A page of another origin, in a browser that is signed in: it can neither read nor change anything.
import { createServer } from "node:http";
import assert from "node:assert/strict";

/** What the other page tries, and what came of it, each as a word. */
async function attempts(target) {
  const outcome = {};
  const within = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve("nothing"), 1500))]);
  const tryTo = async (name, act) => {
    outcome[name] = await within(act().catch((error) => `refused: ${error.name ?? error}`));
  };
  const read = (options) => async () => {
    const answer = await fetch(`${target}/api/tasks`, options);
    return answer.type === "opaque" ? "opaque" : `read ${await answer.text()}`;
  };
  const task = JSON.stringify({ prompt: "written by a stranger" });
  const loaded = (element, attribute, url) => () =>
    new Promise((resolve) => {
      const node = document.createElement(element);
      node.onload = () => resolve("loaded");
      node.onerror = () => resolve("refused");
      node[attribute] = url;
      document.body.append(node);
    });
  await tryTo("fetch", read({ credentials: "include" }));
  await tryTo("fetch without cors", read({ credentials: "include", mode: "no-cors" }));
  await tryTo("post json", read({ credentials: "include", method: "POST", headers: { "content-type": "application/json" }, body: task }));
  await tryTo("post text", read({ credentials: "include", mode: "no-cors", method: "POST", headers: { "content-type": "text/plain" }, body: task }));
  await tryTo("beacon", async () => String(navigator.sendBeacon(`${target}/api/tasks`, new Blob([task], { type: "text/plain" }))));
  await tryTo("log out", async () => (await fetch(`${target}/logout`, { method: "POST", mode: "no-cors", credentials: "include" })).type);
  await tryTo("picture", loaded("img", "src", `${target}/api/tasks`));
  await tryTo("script", loaded("script", "src", `${target}/openapi.json`));
  await tryTo(
    "frame",
    () =>
      new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.onload = () => {
          try {
            resolve(frame.contentDocument?.body.textContent ? "read" : "refused");
          } catch {
            resolve("refused");
          }
        };
        frame.src = target;
        document.body.append(frame);
      }),
  );
  await tryTo(
    "form",
    () =>
      new Promise((resolve) => {
        const frame = Object.assign(document.createElement("iframe"), { name: "answer" });
        document.body.append(frame);
        const form = Object.assign(document.createElement("form"), { method: "post", action: `${target}/api/tasks`, enctype: "text/plain", target: "answer" });
        form.append(Object.assign(document.createElement("input"), { name: '{"prompt":"written by a stranger","x":"', value: '"}' }));
        document.body.append(form);
        frame.onload = () => resolve("sent");
        form.submit();
      }),
  );
  await tryTo(
    "socket",
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${target.replace("http", "ws")}/ws`);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      }),
  );
  return outcome;
}

export default async function ({ house, check }) {
  const here = await house();
  const stranger = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<title>Elsewhere</title><body>"));
  await new Promise((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const { port } = stranger.address();
  await here.api("/api/tasks", { prompt: "the owner's secret" });
  const before = JSON.stringify((await here.api("/api/tasks")).tasks.map((task) => task.prompt));

  for (const name of ["127.0.0.1", "localhost"]) {
    // Ports do not part sites, so the browser sends its cookie from the first; the second is another site.
    await check(`a page at ${name}, another port`, here, async ({ page, broken }) => {
      await page.getByRole("textbox", { name: "Message to Steward" }).waitFor();
      const other = await page.context().newPage();
      await other.goto(`http://${name}:${port}/`);
      const outcome = await other.evaluate(attempts, here.address);
      const text = JSON.stringify(outcome);
      assert.ok(!text.includes("secret") && !text.includes("read "), text);
      assert.match(outcome.fetch, /^refused/);
      assert.match(outcome["post json"], /^refused/);
      for (const closed of ["picture", "script", "frame", "socket"]) assert.equal(outcome[closed], "refused", closed);
      const after = JSON.stringify((await here.api("/api/tasks")).tasks.map((task) => task.prompt));
      assert.equal(after, before, "nothing was changed");
      await page.reload();
      await page.getByRole("textbox", { name: "Message to Steward" }).waitFor();
      const framed = other.frames().filter((frame) => frame.url().startsWith(here.address) && frame.url() !== "about:blank");
      for (const frame of framed) assert.ok(!(await frame.locator("steward-app").count()), "the page shows in a frame of another");
      // What the other page tried is noted by the browser; that is its own affair.
      broken.length = 0;
    });
  }
  await new Promise((resolve) => stranger.close(resolve));
}
