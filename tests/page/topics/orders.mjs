// Tasks that stand: those that come again, and those that run whenever something is handed in.
import { createHmac } from "node:crypto";
import { gone, rpc, sees, shown, until } from "../steps.mjs";
import assert from "node:assert/strict";

const sheet = (page) => page.getByRole("region", { name: "Task" });
const list = (page) => page.getByRole("main").locator("steward-task-list");

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("Count the mails", "There are **three** mails.");
  model.says("this mail", "It was spam, and is gone.");
  const at = (page, view = "tasks") => page.goto(`${here.address}/#/${view}`);
  const order = async (page, prompt, kind, fill = async () => {}) => {
    await at(page);
    await page.getByRole("textbox", { name: "New task" }).fill(prompt);
    await page.getByRole("radio", { name: kind }).press(" ");
    await fill();
    await page.getByRole("button", { name: "Start task" }).click();
    await sheet(page).getByRole("heading", { name: prompt }).waitFor();
  };

  await check("again and again: previewed, listed, run, cancelled", here, async ({ page }) => {
    await order(page, "Count the mails", "Again and again", async () => {
      await page.getByRole("button", { name: "Start task" }).click();
      await page.getByRole("textbox", { name: "When, in words" }).fill("every day at 9");
      await sees(page.getByRole("status"), "every day at 09:00");
    });
    await sees(sheet(page), "Stands ready");
    await sees(sheet(page), "Its first run has not come yet.");
    assert.match(await shown(list(page)), /Again and again[^]*next in [^]*, 0 runs/);
    const [{ jobs }] = await rpc(page, [["jobs.list", { kind: "task" }]]);
    await at(page, `schedules/${jobs[0].id}`);
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("link", { name: "Open the task" }).click();
    const happened = sheet(page).getByRole("log", { name: "What happened" });
    await sees(happened, "There are three mails.");
    await sees(happened, "This run is over");
    await sees(sheet(page), "Stands ready");
    await sees(sheet(page).getByRole("list", { name: "Runs" }), "Done");
    await until(() => shown(list(page)), (text) => /, 1 run\b/.test(text));
    await sheet(page).getByRole("button", { name: "Cancel" }).click();
    await sees(sheet(page), "Cancelled");
    await gone(sheet(page).getByRole("button", { name: "Cancel" }));
    await until(() => rpc(page, [["jobs.list", { kind: "task" }]]), ([{ jobs }]) => jobs.every((job) => !job.nextRun || !job.enabled));
  });

  await check("when something happens: the address is told once, and what is sent there runs", here, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await order(page, "If this mail is spam, delete it", "When something happens");
    const hook = page.getByRole("group", { name: "Where to hand something in" });
    await hook.getByRole("button", { name: "Copy: Address" }).click();
    const url = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/api\/hooks\/[\w-]{16,}$/);
    await hook.getByRole("button", { name: "Copy: Try it" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), new RegExp(`^curl -X POST ${url}`));
    const answer = await fetch(url, { method: "POST", body: "You won a boat." });
    assert.equal(answer.status, 202);
    await sees(sheet(page).getByRole("log", { name: "What happened" }), "It was spam, and is gone.");
    await sees(sheet(page).getByRole("list", { name: "Runs" }), "Done");
    await hook.getByRole("button", { name: "I have copied it" }).click();
    await gone(hook);
    await page.reload();
    await sees(sheet(page), "need only the address");
    assert.equal(await hook.count(), 0);
    assert.ok(!(await shown(page.locator("body"))).includes(url.split("/").at(-1)), "the token is still shown");
  });

  await check("with a secret only what is signed is taken", here, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await order(page, "Look at this mail, signed", "When something happens", () => page.getByLabel(/Secret that senders sign with/).fill("a secret of seventeen"));
    const hook = page.getByRole("group", { name: "Where to hand something in" });
    await sees(hook, /X-Steward-Signature/);
    await hook.getByRole("button", { name: "Copy: Address" }).click();
    const url = await page.evaluate(() => navigator.clipboard.readText());
    const body = "Lunch?";
    assert.equal((await fetch(url, { method: "POST", body })).status, 401);
    const signature = createHmac("sha256", "a secret of seventeen").update(body).digest("hex");
    assert.equal((await fetch(url, { method: "POST", body, headers: { "X-Steward-Signature": `sha256=${signature}` } })).status, 202);
    await sees(sheet(page).getByRole("log", { name: "What happened" }), "It was spam, and is gone.");
    await sees(sheet(page), "must sign what they send");
  });

  await check("filtered by kind, and what is not over", here, async ({ page }) => {
    await at(page);
    const which = page.getByRole("combobox", { name: "Which tasks" });
    await which.selectOption("recurring");
    await until(() => shown(list(page)), (text) => text.includes("Count the mails") && !text.includes("If this mail"));
    await which.selectOption("open");
    await until(() => shown(list(page)), (text) => !text.includes("Count the mails") && text.includes("If this mail"));
    await which.selectOption("one_shot");
    await sees(page, "No task is like that.");
    await which.selectOption("");
    await until(() => shown(list(page)), (text) => text.includes("Count the mails") && text.includes("If this mail"));
  });
}
