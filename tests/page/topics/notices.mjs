// What the owner is told outside of any turn: a toast, a line in the conversation, and a count until somebody looked.
import { begin, card, gone, log, rpc, sees, shown, until } from "../steps.mjs";
import assert from "node:assert/strict";

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("hello", "Good morning.");
  model.says("about pizza", "Take the **pizza** out.");
  model.calls("tidy the desk", [["bash", { command: "touch tidy.txt" }]], "Tidy.");
  const at = (page, view) => page.goto(`${here.address}/#/${view}`);
  const line = (page) => page.getByRole("article", { name: /^Notice: Reminder pizza/ });
  const badge = (page) => page.getByLabel(/^\d+ unread$/);
  const add = (name, message) => ["jobs.add", { name, schedule: "every day at 3", message }];
  const run = async (page, id) => rpc(page, [["jobs.run", { id }]]);

  await check("elsewhere it is a toast and a count, until its conversation is opened", here, async ({ page }) => {
    const conversation = await begin(page, "hello there");
    await sees(log(page), "Good morning.");
    await rpc(page, [add("pizza", "Say something about pizza")]);
    await at(page, "settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await run(page, "pizza");
    await sees(page.getByRole("status"), /Reminder pizza: Take the pizza out/);
    await until(() => badge(page).innerText(), (text) => text === "1");
    await page.getByRole("link", { name: "Open", exact: true }).click();
    await page.waitForURL(conversation);
    await sees(line(page), "Take the pizza out.");
    assert.match(await shown(log(page)), /Good morning\.[^]*Reminder\s+pizza[^]*Take the pizza out\./);
    await gone(badge(page));
    await page.reload();
    await line(page).waitFor();
    assert.equal(await line(page).count(), 1, "it stands once");
    assert.equal(await badge(page).count(), 0, "what was read stays read");
    await line(page).getByRole("link", { name: "See how it came about" }).click();
    await sees(log(page), "Take the pizza out.");
  });

  await check("who looks at the conversation sees it there, between the turns", here, async ({ page }) => {
    await begin(page, "hello again");
    await sees(log(page), "Good morning.");
    await run(page, "pizza");
    await line(page).waitFor();
    assert.equal(await page.getByText("Reminder pizza: Take").count(), 0, "no toast for what is seen");
    await page.getByRole("textbox", { name: "Message to Steward" }).fill("hello once more");
    await page.keyboard.press("Enter");
    await until(() => shown(log(page)), (text) => /Good morning\.[^]*Reminder\s+pizza[^]*hello once more[^]*Good morning\./.test(text));
  });

  await check("one list has them all, and looking at it is reading", here, async ({ page }) => {
    await until(() => badge(page).count().then((many) => many && badge(page).innerText()), (text) => Number(text) >= 2);
    await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: /^Notices/ }).click();
    await page.getByRole("heading", { name: "Notices" }).waitFor();
    await until(() => line(page).count(), (many) => many === 2);
    await sees(line(page).first(), "new");
    await gone(badge(page));
    await run(page, "pizza");
    await until(() => line(page).count(), (many) => many === 3);
    assert.equal(await badge(page).count(), 0);
    await at(page, "settings");
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await run(page, "pizza");
    await until(() => badge(page).innerText(), (text) => Number(text) > 0);
    assert.equal(await badge(page).innerText(), "1", "what was read is unread again");
  });

  await check("what it missed while Steward was away is told after", here, async ({ page, context }) => {
    await at(page, "notices");
    await until(() => line(page).count(), (many) => many === 4);
    await context.setOffline(true);
    await here.kill();
    await here.start();
    const other = await context.browser().newContext();
    await other.request.post(`${here.address}/login`, { data: { token: "token-of-the-page-tests" } });
    const second = await other.newPage();
    await second.goto(`${here.address}/#/notices`);
    await until(() => second.getByRole("article", { name: /pizza/ }).count(), (many) => many === 4);
    await run(second, "pizza");
    await until(() => second.getByRole("article", { name: /pizza/ }).count(), (many) => many === 5);
    await other.close();
    await context.setOffline(false);
    await until(() => line(page).count(), (many) => many === 5, 20);
  });

  await check("what a task says leads to the task", here, async ({ page }) => {
    const [{ task }] = await rpc(page, [["tasks.create", { prompt: "Tell me about pizza", kind: "recurring", schedule: "every day at 4" }]]);
    const [{ jobs }] = await rpc(page, [["jobs.list", { kind: "task" }]]);
    await at(page, "settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await run(page, jobs[0].id);
    await sees(page.getByRole("status"), "Task: Take the pizza out.");
    await at(page, "notices");
    await page.getByRole("article", { name: "Notice: Task" }).getByRole("link", { name: "See the task" }).click();
    await page.waitForURL(new RegExp(`#/tasks/${task.id}$`));
    await page.getByRole("region", { name: "Task" }).getByRole("heading", { name: "Tell me about pizza" }).waitFor();
  });

  await check("work in the background that asks waits with everything else", here, async ({ page }) => {
    await rpc(page, [add("desk", "Please tidy the desk")]);
    await at(page, "settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await run(page, "desk");
    await page.getByRole("link", { name: /Waiting for you/ }).click();
    await card(page).getByRole("button", { name: /^Approve/ }).first().click();
    await gone(card(page));
    await until(() => rpc(page, [["jobs.history", { id: "desk" }]]), ([{ firings }]) => firings[0]?.outcome === "completed");
  });
}
