// Programs: what the page shows of one while it is checked, runs, asks and ends. First a real one, then events are played.
import { PAYLOADS } from "../payloads.mjs";
import { asks, done, ended, fits, Play, said, started, wrote } from "../play.mjs";
import { APPROVAL, asking, begun, closes, CODE, decided, decidedAndRun, program, request, screen, whole } from "../program.mjs";
import { begin, gone, log, sees, shown, until } from "../steps.mjs";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const FIVE = `const names = ["one", "two", "three", "four", "five"];
const made: string[] = [];
await Promise.all(names.map(async (name) => {
  try {
    await tools.bash({ command: \`echo \${name} >> made.txt\` });
    made.push(name);
  } catch (error) {
    console.log(name, String(error));
  }
}));
const { text } = await tools.read({ path: "made.txt" });
return { made: made.length, lines: text.trim().split("\\n").length };`;

export default async function ({ house, check, model }) {
  const here = await house();
  const open = async (page, facts) => {
    const play = new Play().before(...facts);
    await play.join(page);
    await page.goto(`${here.address}/#/chat/${play.session}`);
    await page.reload();
    await log(page).getByRole("article").first().waitFor();
    return play;
  };
  const rows = (page) => request(page).getByRole("list", { name: "Calls to decide about" }).getByRole("listitem");
  const lines = (block) => block.getByRole("list", { name: "Calls of the program" }).getByRole("listitem");

  await check("a program asks, outlives the daemon, is allowed in part and ends", here, async ({ page }) => {
    model.calls("make five", [["run_code", { code: FIVE }]], "Three were made.");
    await begin(page, "make five");
    await request(page).getByRole("heading", { name: "A program asks for 5 calls" }).waitFor();
    await sees(request(page).getByRole("complementary", { name: "Forecast" }), "made.txt");
    await here.kill();
    assert.ok(!existsSync(join(here.workspace, "made.txt")), "nothing happens before the word");
    await here.start();
    await page.reload();
    for (const number of [1, 3]) await rows(page).nth(number).getByRole("checkbox").uncheck();
    await request(page).getByRole("button", { name: /^Allow 3 chosen/ }).click();
    await sees(log(page), "Three were made.");
    await program(page, 0).getByRole("button", { name: /Program.*6 calls.*2 denied.*done/ }).waitFor();
    await sees(program(page, 0), /"made": 3/);
    const lines = readFileSync(join(here.workspace, "made.txt"), "utf8").trim().split("\n");
    assert.deepEqual(lines.toSorted(), ["five", "one", "three"]);
    const told = JSON.stringify(model.getLastRequest().body.messages.at(-1));
    for (const part of ["made", "denied", "Console"]) assert.ok(told.includes(part), told);
  });

  await check("a program that does not fit says where, and a line can be gone to", here, async ({ page }) => {
    await open(page, whole);
    const wrong = program(page, 0);
    await wrong.getByRole("button", { name: /Program.*did not fit/ }).waitFor();
    const text = await shown(wrong);
    for (const part of ["the assistant corrects itself", "Did you mean 'list'?", "Property 'repo' is missing"]) assert.ok(text.includes(part), `${part} in ${text}`);
    assert.equal(await wrong.locator("[data-marked]").count(), 2);
    await wrong.getByRole("button", { name: "line 3" }).click();
    assert.ok(await wrong.locator("pre").first().evaluate((code) => code.matches(":focus")));
  });

  await check("code, calls, console and result of a program can be read", here, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, whole);
    const block = program(page);
    await block.getByRole("button", { name: /Program.*17 calls.*2 denied.*done/ }).waitFor();
    assert.equal(await block.locator(".row").count(), 14, "of a long program the beginning");
    await block.getByRole("button", { name: "Show all 19 lines" }).press("Enter");
    assert.equal(await block.locator(".row").count(), 19);
    await block.getByRole("button", { name: "Copy the program" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), CODE);
    assert.equal(await lines(block).count(), 17);
    await lines(block).nth(2).getByRole("button").click();
    await sees(lines(block).nth(2), "The owner said no.");
    await block.getByText("Console, 2 lines").click();
    await sees(block, "15 of 63 are old");
    await sees(block, /"left": 2/);
    await block.getByRole("button", { name: /^Program/ }).click();
    await gone(block.getByText("TypeScript"));
  });

  await check("a program is followed while it runs", here, async ({ page }) => {
    const play = await open(page, begun);
    await sees(program(page), "running");
    await sees(log(page), "Running the program");
    play.now(...asks("p2", closes.slice(0, 2), "allow"), started("c101"));
    await until(() => lines(program(page)).count(), (many) => many === 3);
    await sees(log(page), "Using github.issues.close");
    play.now(done("c101", "interrupted", "Steward was restarted."), started("c108"), done("c108", "failed", "No such issue."));
    play.now(ended("p2", { status: "failed", name: "ToolFailed", message: "No such issue.", line: 18 }), done("p2", "failed", "…"));
    await program(page).getByRole("button", { name: /Program.*3 calls.*1 failed.*1 interrupted.*failed/ }).waitFor();
    await sees(program(page), "ToolFailed");
    await program(page).getByRole("button", { name: "line 18" }).click();
    assert.equal(await program(page).locator(".row").nth(17).getAttribute("data-marked"), "");
  });

  await check("fifteen calls stand on one screen: allow all, or what is chosen, or nothing", here, async ({ page }) => {
    const play = await open(page, asking);
    const last = () => play.answers.at(-1);
    await request(page).getByRole("heading", { name: "A program asks for 15 calls" }).waitFor();
    await sees(program(page), "waits for you");
    await sees(program(page), "15 calls wait for your word.");
    assert.equal(await lines(program(page)).count(), 1, "what is asked about stands on its card");
    assert.equal(await rows(page).count(), 15);
    const ahead = await shown(request(page).getByRole("complementary", { name: "Forecast" }));
    for (const part of ["After that it seems to want", "mail.send", "made-up results. Nothing in it is approved."]) assert.ok(ahead.includes(part), ahead);
    await request(page).getByRole("button", { name: /^Allow all 15/ }).click();
    await until(last, Boolean);
    assert.deepEqual(last(), ["exec.approve", { approvalId: APPROVAL }]);

    await page.reload();
    await rows(page).nth(1).getByRole("checkbox").uncheck();
    await rows(page).nth(1).getByRole("checkbox").press("ArrowDown");
    await page.keyboard.press(" ");
    await sees(request(page), "13 of 15 chosen");
    await rows(page).nth(3).getByText("1 warning").click();
    await sees(rows(page).nth(3), "written by a stranger");
    await request(page).getByRole("button", { name: /^Allow 13 chosen/ }).click();
    await until(last, ([, { callIds }]) => callIds);
    assert.deepEqual(last()[1].callIds, closes.map(([call]) => call).filter((call) => call !== "c108" && call !== "c115"));

    await page.reload();
    await request(page).getByRole("checkbox", { name: /chosen/ }).uncheck();
    assert.ok(await request(page).getByRole("button", { name: /^Allow 0 chosen/ }).isDisabled());
    await request(page).getByRole("button", { name: "Allow all 15" }).waitFor();
    await page.waitForTimeout(400);
    await rows(page).nth(4).getByRole("checkbox").press("d");
    await until(last, ([method]) => method === "exec.deny");

    play.now(...decidedAndRun);
    await gone(request(page));
    await program(page).getByRole("button", { name: /2 denied.*done/ }).waitFor();
  });

  await check("what was decided elsewhere leaves the screen, the others stay", here, async ({ page }) => {
    const play = await open(page, asking);
    await rows(page).first().waitFor();
    const { decisions, ...rest } = decided(["c108"]);
    play.now({ ...rest, decisions: decisions.slice(0, 14) });
    await request(page).getByRole("heading", { name: "A program asks for 1 call", exact: true }).waitFor();
    await request(page).getByRole("button", { name: /^Allow A/ }).click();
    await until(() => play.answers.length, (many) => many === 1);
  });

  await check("a thousand calls: the first are drawn, all if wanted, and none is allowed unseen", here, async ({ page }) => {
    const many = Array.from({ length: 1000 }, (_, index) => [`n${index}`, "github.issues.close", { repo: "ada/garden", number: index }]);
    const play = await open(page, [...begun, ...asks("p2", many, "ask"), screen("p2", many, [])]);
    assert.equal(await rows(page).count(), 50);
    assert.ok(await request(page).getByRole("button", { name: /^Allow all 1000/ }).isDisabled());
    await request(page).getByRole("button", { name: "Show all 1,000 calls" }).click();
    await until(() => rows(page).count(), (count) => count === 1000);
    await request(page).getByRole("button", { name: /^Allow all 1000/ }).click();
    await until(() => play.answers.length, (answers) => answers === 1);
    play.now({ kind: "approval.decided", approval: APPROVAL, decisions: many.map(([call]) => ({ call, approved: true })), by: "web" });
    await gone(request(page));
    assert.equal(await lines(program(page)).count(), 50);
    await program(page).getByRole("button", { name: "Show all 1,001 calls" }).click();
    const began = Date.now();
    play.now(...many.flatMap(([call]) => [started(call), done(call)]));
    await program(page).getByRole("button", { name: /1,001 calls.*1,001 done/ }).waitFor();
    console.log(`     2,000 events with 1,001 lines drawn: ${Date.now() - began} ms`);
  });

  await check("hostile text in a program stays text", here, async ({ page }) => {
    const hostile = PAYLOADS.join("\n");
    const calls = [["x", hostile.slice(0, 60), { repo: hostile, number: 1 }], ["y", "bash", { command: hostile }]];
    await open(page, [
      said("hostile"),
      ...wrote("p1", hostile),
      done("p1", "failed", `1:1 TS1 ${hostile}`),
      ...wrote("p2", `/* ${hostile} */`),
      fits("p2"),
      ...asks("p2", calls, "ask", hostile),
      screen("p2", calls, [{ tool: hostile, summary: hostile }]),
      ended("p2", { status: "returned", value: JSON.stringify(hostile) }),
    ]);
    await rows(page).nth(0).locator("summary").click();
    await program(page).getByText(/^Console/).click();
    await page.waitForTimeout(300);
    const strange = await page.evaluate(() => {
      const all = (root) => [...root.querySelectorAll("*")].flatMap((node) => [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])]);
      return all(document).filter((node) => /^(IMG|SCRIPT|IFRAME|OBJECT|EMBED|FORM|MATH)$/i.test(node.tagName) && !node.src?.includes("/assets/")).length;
    });
    assert.equal(strange, 0);
  });

  await check("a task's timeline tells of its program", here, async ({ page }) => {
    const { id } = await here.api("/api/tasks", { prompt: "Close the old issues" });
    const preview = { title: "github.issues.close", details: "{}", reason: "" };
    const asked = closes.slice(0, 3).map(([call, toolPath]) => ({ type: "approval_request", id: call, toolPath, preview, program: "p2" }));
    const receipts = [{ id: "c101", status: "succeeded" }, { id: "c108", status: "denied" }];
    const events = [
      ["1", { type: "status", message: "started" }],
      ["2", { type: "code_generated", id: "p1", code: "retrun" }],
      ["3", { type: "tool_result", id: "p1", toolPath: "run_code", status: "failed", preview: "1:1 TS2304 Cannot find name 'retrun'.", receipts: [] }],
      ["4", { type: "code_generated", id: "p2", code: CODE }],
      ["5.1", asked[0]],
      ["5.2", asked[1]],
      ["5", asked[2]],
      ["6", { type: "tool_result", id: "p2", toolPath: "run_code", status: "succeeded", preview: "", receipts, result: { closed: 1 } }],
      ["7", { type: "completed" }],
    ];
    const body = events.map(([place, event]) => `id: ${place}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    await page.route(/\/events/, (route) => route.fulfill({ contentType: "text/event-stream", body }));
    await page.goto(`${here.address}/#/tasks/${id}`);
    const happened = page.getByRole("log", { name: "What happened" });
    await sees(happened, "The program ended");
    const text = await shown(happened);
    for (const part of ["The program did not run", "The program asked for 3 calls", "2 calls · 1 denied"]) assert.ok(text.includes(part), `${part} in ${text}`);
    await happened.getByText("The assistant wrote a program").nth(1).click();
    await sees(happened, "Close what nobody has touched");
  });
}
