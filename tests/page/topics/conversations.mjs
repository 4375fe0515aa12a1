// Many conversations: going between them, finding, naming and putting them away; on a phone and in the dark.
import { PHONE } from "../world.mjs";
import { begin, card, field, gone, log, say, sees, until } from "../steps.mjs";
import assert from "node:assert/strict";

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("hello", "Good morning.");
  model.says("apples", "Apples are red.");
  model.calls("make a file", [["bash", { command: "touch file.txt" }]], "Made it.");
  const rail = (page) => page.getByRole("navigation", { name: "Conversations" });

  await check("drafts stay with their conversation, also over a reload", here, async ({ page }) => {
    const first = await begin(page, "hello to the first");
    await sees(log(page), "Good morning.");
    await field(page).fill("a thought for the first");
    await begin(page, "apples in the second");
    await sees(log(page), "Apples are red.");
    assert.equal(await field(page).inputValue(), "");
    await field(page).fill("a thought for the second");
    await rail(page).getByRole("link", { name: "hello to the first" }).click();
    await until(() => field(page).inputValue(), (text) => text === "a thought for the first");
    await rail(page).getByRole("link", { name: "apples in the second" }).click();
    await until(() => field(page).inputValue(), (text) => text === "a thought for the second");
    await page.goto(first);
    await page.reload();
    await until(() => field(page).inputValue(), (text) => text === "a thought for the first");
    await say(page, "hello, said at last");
    await page.reload();
    await sees(log(page), "hello, said at last");
    assert.equal(await field(page).inputValue(), "");
  });

  await check("rename, search, archive and bring back", here, async ({ page }) => {
    await begin(page, "hello, to be named");
    await sees(log(page), "Good morning.");
    const row = rail(page).getByRole("listitem").filter({ has: page.getByRole("link", { name: "hello, to be named" }) });
    await row.hover();
    await row.getByRole("button", { name: /^More for/ }).click();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Plans for the garden");
    await page.keyboard.press("Enter");
    await rail(page).getByRole("link", { name: "Plans for the garden" }).waitFor();
    await page.getByRole("heading", { name: "Plans for the garden" }).waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("garden");
    await page.getByRole("option", { name: /Plans for the garden/ }).waitFor();
    await page.keyboard.press("Escape");
    await gone(page.getByRole("combobox"));

    await page.getByRole("link", { name: "All conversations" }).click();
    const search = page.getByRole("searchbox", { name: "Search titles" });
    await search.fill("no such title");
    await sees(page, "No title has these words.");
    await search.fill("garden");
    const entry = page.getByRole("main").getByRole("listitem").filter({ hasText: "Plans for the garden" });
    await entry.getByRole("button", { name: "Archive" }).click();
    await gone(entry);
    await gone(rail(page).getByRole("link", { name: "Plans for the garden" }));
    await page.getByLabel("Archived").check();
    await entry.getByRole("button", { name: "Restore" }).click();
    await rail(page).getByRole("link", { name: "Plans for the garden" }).waitFor();
  });

  await check("/rename and /new from the field", here, async ({ page }) => {
    await begin(page, "hello, to be named otherwise");
    await sees(log(page), "Good morning.");
    await say(page, "/rename A better name");
    await page.getByRole("heading", { name: "A better name" }).waitFor();
    await say(page, "/new");
    await page.getByRole("heading", { name: "What shall Steward do?" }).waitFor();
  });

  await check("on a phone: a drawer, no sideways scrolling, approvals from below", here, async ({ page }) => {
    const fits = async () => assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), "it scrolls sideways");
    await field(page).waitFor();
    await fits();
    await field(page).fill("make a file");
    await page.getByRole("button", { name: "Send" }).click();
    await card(page).waitFor();
    await fits();
    const seen = await field(page).boundingBox();
    assert.ok(seen.y + seen.height <= PHONE.height, "the field is in sight");
    assert.ok(!(await page.getByRole("link", { name: "Settings" }).isVisible()));
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "All conversations" }).click();
    await gone(page.getByRole("link", { name: "Settings" }));
    await page.getByRole("button", { name: "Look" }).click();
    const sheet = page.getByRole("dialog", { name: "Waiting for you" });
    await card(sheet).getByRole("button", { name: /^Approve/ }).click();
    await gone(sheet);
    await fits();
  }, { viewport: PHONE, isMobile: true, hasTouch: true });

  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const isDark = (colour) => Math.max(...colour.match(/\d+/g).slice(0, 3).map(Number)) < 64;
  await check("dark when the system is, and when it is chosen", here, async ({ page }) => {
    await field(page).waitFor();
    assert.ok(isDark(await ground(page)));
    await page.goto(`${here.address}/#/settings`);
    await page.getByRole("radio", { name: "Light" }).check();
    await until(() => ground(page), (colour) => !isDark(colour));
    await page.reload();
    await page.getByRole("radio", { name: "Light" }).waitFor();
    assert.ok(!isDark(await ground(page)), "the choice holds");
  }, { colorScheme: "dark" });
}
