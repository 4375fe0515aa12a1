// The rooms behind the conversation: tasks, memory, tools, audit, usage, settings.
import { slowly } from "../world.mjs";
import { begin, card, gone, log, sees, shown, until } from "../steps.mjs";
import { mkdirSync, writeFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import assert from "node:assert/strict";

const LONG = "On and on it goes. ".repeat(100);

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("weather", "It **rains**.");
  model.says("for ever", LONG, slowly(LONG, 20));
  model.calls("count files", [["bash", { command: "touch counted.txt" }]], "There is one.");
  model.says("hello", "Good morning.");
  const at = (page, view) => page.goto(`${here.address}/#/${view}`);
  const file = join(here.workspace, "memory", "garden.md");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "# Garden\n\nThe tomatoes need water every evening.\n");

  const order = async (page, prompt) => {
    await page.getByRole("textbox", { name: "New task" }).fill(prompt);
    await page.getByRole("button", { name: "Start task" }).click();
    const sheet = page.getByRole("region", { name: "Task" });
    await sheet.getByRole("heading", { name: prompt }).waitFor();
    return sheet;
  };

  await check("tasks: give one and watch it to its end", here, async ({ page }) => {
    await at(page, "tasks");
    const sheet = await order(page, "Tell me the weather");
    const happened = sheet.getByRole("log", { name: "What happened" });
    await sees(happened, "It rains.");
    await sees(happened, "Done");
    await sees(sheet, "Done");
    await page.reload();
    await sees(happened, "It rains.");
    assert.equal((await shown(happened)).split("It rains.").length, 2, "once");
    await page.getByRole("main").getByRole("link", { name: /Tell me the weather/ }).waitFor();
  });

  await check("tasks: one that asks is answered beside its timeline", here, async ({ page }) => {
    await at(page, "tasks");
    const sheet = await order(page, "count files here");
    await card(sheet).waitFor();
    await sees(sheet, "Waits for you");
    await card(sheet).getByRole("button", { name: /^Approve/ }).click();
    await sees(sheet.getByRole("log", { name: "What happened" }), "There is one.");
  });

  await check("tasks: cancel", here, async ({ page }) => {
    await at(page, "tasks");
    const sheet = await order(page, "Go on for ever");
    await sees(sheet, "Working");
    await sheet.getByRole("button", { name: "Cancel" }).click();
    await sees(sheet, "Cancelled");
    await gone(sheet.getByRole("button", { name: "Cancel" }));
  });

  await check("tasks: told once through the death of Steward", here, async ({ page }) => {
    await at(page, "tasks");
    const sheet = await order(page, "count files after all");
    const happened = sheet.getByRole("log", { name: "What happened" });
    await card(sheet).waitFor();
    await here.kill();
    await sees(happened, /Reconnecting/);
    await here.start();
    await gone(happened.getByText(/Reconnecting/));
    await card(sheet).getByRole("button", { name: /^Deny D/ }).click();
    await sees(happened, "There is one.");
    const text = await shown(happened);
    for (const once of ["Began", "There is one."]) assert.equal(text.split(once).length, 2, `${once} in ${text}`);
  });

  await check("memory: search, open, edit and save", here, async ({ page }) => {
    await at(page, "memory");
    await page.getByRole("link", { name: /garden\.md/ }).waitFor();
    await page.getByRole("searchbox", { name: "Search memory" }).fill("tomatoes");
    await page.getByRole("link", { name: /tomatoes need water/ }).click();
    const text = page.getByRole("textbox", { name: /garden\.md/ });
    await until(() => text.inputValue(), (value) => value.includes("every evening"));
    await text.fill("# Garden\n\nThe tomatoes need water every morning.\n");
    await sees(page, "Not saved yet");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await sees(page, "Saved", { exact: true });
    assert.match(readFileSync(file, "utf8"), /every morning/);
  });

  await check("memory: how searching does, the kind of a hit, and an index made anew", here, async ({ page }) => {
    await at(page, "memory");
    await sees(page.getByRole("status"), /\d+ passages? in \d+ files?/);
    await sees(page.getByRole("status"), /words only|by meaning/);
    await page.getByRole("searchbox", { name: "Search memory" }).fill("tomatoes water");
    const hit = page.getByRole("link", { name: /tomatoes need water/ });
    assert.match(await shown(hit), /Note[^]*garden\.md[^]*Fits\s*\d+/);
    await page.getByRole("combobox", { name: "Where to search" }).selectOption("daily");
    await sees(page, "Memory has nothing on these words.");
    await page.getByRole("combobox", { name: "Where to search" }).selectOption("note");
    await hit.waitFor();
    await page.getByRole("button", { name: "Reindex" }).click();
    await sees(page, "The index was made anew.");
    await hit.waitFor();
  });

  await check("memory: what was not saved is kept over a reload", here, async ({ page }) => {
    await at(page, "memory");
    await page.getByRole("link", { name: /garden\.md/ }).click();
    const text = page.getByRole("textbox", { name: /garden\.md/ });
    await text.fill("Half a thought");
    await sees(page, "Not saved yet");
    await page.reload();
    await sees(page, "Unsaved, kept from before");
    await until(() => text.inputValue(), (value) => value === "Half a thought");
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("button", { name: "Press again to discard" }).click();
    await until(() => text.inputValue(), (value) => value.includes("every morning"));
    assert.match(readFileSync(file, "utf8"), /every morning/);
  });

  await check("memory: a file changed meanwhile is not written over", here, async ({ page }) => {
    await at(page, "memory/memory%2Fgarden.md");
    const text = page.getByRole("textbox", { name: /garden\.md/ });
    await text.fill("My own words.\n");
    writeFileSync(file, "Words of somebody else.\n");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await sees(page.getByRole("alert"), /changed meanwhile/);
    await sees(page, "Words of somebody else.");
    assert.match(readFileSync(file, "utf8"), /somebody else/);
    await page.getByRole("button", { name: "Keep yours and save" }).click();
    await until(() => readFileSync(file, "utf8"), (now) => now === "My own words.\n");
    await gone(page.getByRole("alert").filter({ hasText: "changed meanwhile" }));
  });

  await check("tools: a rule made is listed and can be taken back", here, async ({ page }) => {
    await begin(page, "count files again");
    await card(page).getByRole("button", { name: "Always allow…" }).click();
    await page.getByRole("button", { name: "Approve and always allow" }).click();
    await sees(log(page), "There is one.");
    await at(page, "tools");
    await page.getByRole("heading", { name: "Rules you made" }).waitFor();
    const remove = page.getByRole("button", { name: /^Remove bash\(touch counted\.txt\)/ });
    await remove.click();
    await page.getByRole("button", { name: /^Press again to remove/ }).click();
    await gone(remove);
    await begin(page, "count files a third time");
    await card(page).getByRole("button", { name: /^Deny D/ }).click();
    await gone(card(page));
  });

  await check("audit: lists what happened and verifies the log", here, async ({ page }) => {
    await at(page, "audit");
    await page.getByRole("button", { name: "Verify" }).click();
    await sees(page.getByRole("status"), /Whole: \d+ events, all as they were written/);
    assert.ok((await page.getByRole("main").getByRole("listitem").count()) > 10);
    await page.getByRole("combobox", { name: "Kind" }).selectOption("approval.decided");
    await until(() => page.getByRole("main").getByRole("listitem").allInnerTexts().then((all) => all.length), (many) => many > 0 && many < 10);
    await sees(page.getByRole("main"), /approval\.decided/);
  });

  await check("usage: a bar for today, and its numbers in words", here, async ({ page }) => {
    await begin(page, "hello, to be counted");
    await sees(log(page), "Good morning.");
    await at(page, "usage");
    const chart = page.getByRole("application");
    await chart.waitFor();
    await chart.focus();
    await page.keyboard.press("End");
    await sees(page.getByRole("status"), /gpt-test/);
    await sees(page.getByRole("table"), /gpt-test/);
  });

  await check("settings: a wrong key brings the provider's words and never the key", here, async ({ page }) => {
    await at(page, "settings");
    const key = "sk-proj-wrong-abcdefghijklmnopqrstuvwxyz012345";
    await page.getByRole("button", { name: "Replace the key of openai" }).click();
    model.nextRequestError(401, { message: `Incorrect API key provided: ${key}. Find yours elsewhere.`, type: "invalid_request_error", code: "invalid_api_key" });
    await page.getByLabel("Key of openai").fill(key);
    await page.getByRole("button", { name: "Test and save" }).click();
    // Who refuses a key may repeat it, so it is Steward that says so.
    await sees(page.getByRole("alert"), /openai\W* did not accept the key/);
    assert.ok(!(await shown(page.locator("body"))).includes(key), "the key is shown");
    model.nextRequestError(403, { message: `Your account, with the key ${key}, has no credit left.`, type: "billing" });
    await page.getByRole("button", { name: "Test and save" }).click();
    await sees(page.getByRole("alert"), /has no credit left/);
    assert.ok(!(await shown(page.locator("body"))).includes(key), "the key is shown in the provider's words");
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.ok(!kept.includes(key));
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await begin(page, "hello, the old key still works");
    await sees(log(page), "Good morning.");
  });
}
