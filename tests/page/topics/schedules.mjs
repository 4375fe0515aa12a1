// Schedules: what comes due by itself, as its owner sees, gives, changes and removes it.
import { gone, rpc, sees, shown, until } from "../steps.mjs";
import assert from "node:assert/strict";

const row = (page, name) => page.getByRole("main").getByRole("listitem").filter({ hasText: name });
const sheet = (page) => page.getByRole("region", { name: "Schedule" });

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("What is due", "Two things are due.");
  model.says("never mind", "All right.");
  const at = (page, view = "schedules") => page.goto(`${here.address}/#/${view}`);
  const job = async (page, id) => (await rpc(page, [["jobs.get", { id }]]))[0].job;

  await check("the empty list teaches: an example becomes a schedule", here, async ({ page }) => {
    await at(page);
    await sees(page, /Nothing is scheduled/);
    await page.getByRole("button", { name: "every weekday at 9" }).click();
    await page.getByRole("heading", { name: "New schedule" }).waitFor();
    await sees(page.getByRole("status"), "every weekday at 09:00");
    await page.getByRole("textbox", { name: "Name" }).fill("standup");
    await page.getByRole("textbox", { name: "What Steward is asked then" }).fill("What is due today?");
    await page.getByRole("button", { name: "Add schedule" }).click();
    await sheet(page).getByRole("heading", { name: "standup" }).waitFor();
    const { schedule, missed, enabled } = await job(page, "standup");
    assert.deepEqual({ schedule, missed, enabled }, { schedule: { kind: "cron", expr: "0 9 * * MON-FRI" }, missed: "once", enabled: true });
    const listed = await shown(row(page, "standup"));
    for (const part of [/every weekday at 09:00/, /(in \d+ (min|h|days?)|in a moment) · \w+/, /has not run yet/, /if missed: catch up once/]) assert.match(listed, part);
    await sees(page, "It has not come due yet.");
  });

  await check("the preview says what is not understood, and nothing is saved", here, async ({ page }) => {
    await at(page, "schedules/new");
    await page.getByRole("textbox", { name: "Name" }).fill("nonsense");
    await page.getByRole("textbox", { name: "What Steward is asked then" }).fill("never mind");
    await page.getByRole("textbox", { name: "When, in words" }).fill("when the moon is blue");
    await until(() => shown(page.getByRole("status").filter({ hasText: /moon/ })), (text) => /moon/.test(text));
    await page.getByRole("button", { name: "Add schedule" }).click();
    await sees(page.getByRole("alert"), /moon/);
    await page.getByRole("textbox", { name: "When, in words" }).fill("");
    await page.getByRole("button", { name: "Add schedule" }).click();
    await until(() => page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.getAttribute("aria-label");
    }), (label) => label === "When, in words");
    const [{ jobs }] = await rpc(page, [["jobs.list", {}]]);
    assert.deepEqual(jobs.map((each) => each.name).filter((name) => name !== "heartbeat"), ["standup"]);
  });

  await check("every way of saying when", here, async ({ page }) => {
    const given = async (name, mode, fill) => {
      await at(page, "schedules/new");
      await page.getByRole("textbox", { name: "Name" }).fill(name);
      await page.getByRole("radio", { name: mode }).press(" ");
      await fill();
      await page.getByRole("textbox", { name: "What Steward is asked then" }).fill("never mind");
      await page.getByRole("button", { name: "Add schedule" }).click();
      await sheet(page).getByRole("heading", { name }).waitFor();
      return (await job(page, name)).schedule;
    };
    const once = await given("once", "Once", () => page.getByLabel("Day and time").fill("2031-03-03T09:00"));
    assert.equal(once.kind, "at");
    assert.equal(new Date(once.at).getTime(), new Date("2031-03-03T09:00").getTime());
    const every = await given("often", "Every so often", async () => {
      await page.getByRole("spinbutton", { name: "How many" }).fill("90");
      await page.getByRole("combobox", { name: "Of what" }).selectOption("minutes");
    });
    assert.equal(every.everyMs, 5_400_000);
    const cron = await given("cron", "Cron", async () => {
      await page.getByRole("textbox", { name: "Cron expression" }).fill("30 7 * * 1");
      await page.getByRole("textbox", { name: "Time zone" }).fill("Europe/Berlin");
    });
    assert.deepEqual(cron, { kind: "cron", expr: "30 7 * * 1", tz: "Europe/Berlin" });
  });

  await check("change it: the form begins with what is there", here, async ({ page }) => {
    await at(page);
    await row(page, "often").getByRole("link").click();
    const before = await job(page, "often");
    await page.getByRole("button", { name: "Edit" }).click();
    await until(() => page.getByRole("spinbutton", { name: "How many" }).inputValue(), (value) => value === "90");
    await page.getByRole("textbox", { name: "Name" }).fill("seldom");
    await page.getByText("More choices").click();
    await page.getByRole("combobox", { name: "If its time was missed" }).selectOption("skip");
    await page.getByRole("button", { name: "Save" }).click();
    await sheet(page).getByRole("heading", { name: "seldom" }).waitFor();
    const named = await job(page, "seldom");
    assert.deepEqual([named.id, named.missed, named.nextRun], [before.id, "skip", before.nextRun], "what was not touched stays");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("radio", { name: "In words" }).press(" ");
    await page.getByRole("textbox", { name: "When, in words" }).fill("every day at 18:30");
    await page.getByRole("button", { name: "Save" }).click();
    await sees(sheet(page), "every day at 18:30");
  });

  await check("switched off and on, and it stays so", here, async ({ page }) => {
    await at(page);
    const on = row(page, "standup").getByRole("switch", { name: "standup is on" });
    assert.equal(await on.getAttribute("aria-checked"), "true");
    await on.click();
    await sees(row(page, "standup"), "switched off");
    await page.reload();
    await until(() => on.getAttribute("aria-checked"), (checked) => checked === "false");
    assert.equal((await job(page, "standup")).enabled, false);
    await on.focus();
    await page.keyboard.press("Space");
    await until(() => on.getAttribute("aria-checked"), (checked) => checked === "true");
  });

  await check("run now: history has what came of it", here, async ({ page }) => {
    await at(page);
    await row(page, "standup").getByRole("link").click();
    await page.getByRole("button", { name: "Run now" }).click();
    const history = page.getByRole("list", { name: "History" });
    await sees(history, "Done");
    assert.match(await shown(history.getByRole("listitem")), /\d+(\.\d)? m?s/);
    await sees(row(page, "standup").first(), "Done");
    await page.getByRole("link", { name: "Open what was said" }).click();
    await sees(page.getByRole("log", { name: "Conversation" }), "Two things are due.");
  });

  await check("what is given elsewhere comes by itself, and what is removed goes at the second press", here, async ({ page }) => {
    await at(page);
    await row(page, "standup").waitFor();
    await here.cli("cron", "add", "from the terminal", "--when", "every day at 7", "--message", "never mind");
    await row(page, "from the terminal").getByRole("link").click();
    const remove = page.getByRole("button", { name: "Remove from the terminal" });
    await remove.click();
    await page.getByRole("button", { name: "Press again to remove from the terminal" }).click();
    await gone(row(page, "from the terminal"));
    const [{ jobs }] = await rpc(page, [["jobs.list", {}]]);
    assert.ok(!jobs.some((each) => each.name === "from the terminal"));
  });

  await check("many come page by page, and J and K go along them", here, async ({ page }) => {
    await at(page);
    await row(page, "standup").waitFor();
    const add = (n) => ["jobs.add", { name: `many ${n}`, schedule: "every day at 3", message: "never mind", enabled: false }];
    await rpc(page, Array.from({ length: 60 }, (_, n) => add(n)));
    await page.reload();
    await row(page, "many 30").waitFor();
    assert.equal(await page.getByRole("main").getByRole("listitem").count(), 50);
    await page.getByRole("button", { name: "Show more" }).click();
    await row(page, "many 59").waitFor();
    await gone(page.getByRole("button", { name: "Show more" }));
    await row(page, "many 59").getByRole("link").click();
    await page.reload();
    await sheet(page).getByRole("heading", { name: "many 59" }).waitFor();
    await at(page);
    await gone(sheet(page));
    const links = page.getByRole("main").getByRole("listitem").getByRole("link");
    await links.first().focus();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/schedules\/./);
    const chosen = await links.nth(1).getAttribute("href");
    assert.ok(page.url().endsWith(chosen), `${page.url()} is not ${chosen}`);
  });

  await check("times tick", here, async ({ page }) => {
    await page.clock.install();
    await at(page);
    await page.reload();
    const next = row(page, "cron").locator("time");
    const before = await next.first().innerText();
    await page.clock.fastForward(8 * 24 * 3_600_000);
    await until(() => next.first().innerText(), (text) => text !== before);
  });
}
