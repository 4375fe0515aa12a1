// What waits for the owner's word: every way to give it, with the mouse, the keyboard, and from two tabs.
import { begin, card, field, gone, log, rpc, say, sees, shown, until } from "../steps.mjs";
import { existsSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

export default async function ({ house, check, model }) {
  const here = await house();
  const made = (name) => existsSync(join(here.workspace, name));
  const touch = (name) => ["bash", { command: `touch ${name}` }];
  for (const name of ["one", "two", "three", "four", "five", "six", "seven"]) model.calls(`make ${name}.txt`, [touch(`${name}.txt`)], `Done with ${name}.`);
  model.calls("make several", [touch("a.txt"), touch("b.txt"), touch("c.txt")], "Done with several.");
  model.says("hello", "Good morning.");

  await check("an approval says what, exactly what, where and why, and Approve runs it", here, async ({ page }) => {
    await begin(page, "make one.txt");
    await card(page).waitFor();
    const text = await shown(card(page));
    for (const part of ["touch one.txt", here.workspace, "Where", "Limits", "Why it asks"]) assert.ok(text.includes(part), `${part} in ${text}`);
    await page.getByRole("link", { name: /Waiting for you/ }).waitFor();
    await until(() => page.title(), (title) => title.startsWith("(1)"));
    assert.ok(!made("one.txt"), "nothing happens before the word");
    await card(page).getByRole("button", { name: /^Approve/ }).click();
    await sees(log(page), "Done with one.");
    assert.ok(made("one.txt"));
    await gone(card(page));
    await gone(page.getByRole("link", { name: /Waiting for you/ }));
  });

  await check("Deny with a reason: nothing runs, and the model is told why", here, async ({ page }) => {
    await begin(page, "make two.txt");
    await card(page).getByRole("button", { name: "Deny with a reason…" }).click();
    await page.getByLabel(/Why not/).fill("not on a Sunday");
    await page.getByLabel(/Why not/).press("Enter");
    await sees(log(page), "Done with two.");
    await sees(log(page), /not on a Sunday/);
    assert.ok(!made("two.txt"));
    const told = JSON.stringify(model.getLastRequest().body.messages);
    assert.ok(told.includes("not on a Sunday"), told);
  });

  await check("Always allow shows the rule; what fits it is not asked again", here, async ({ page }) => {
    await begin(page, "make three.txt");
    await card(page).getByRole("button", { name: "Always allow…" }).click();
    const rules = page.getByRole("radio");
    assert.ok((await rules.count()) > 0);
    await sees(card(page), /bash\(touch three\.txt\)/);
    await page.getByRole("button", { name: "Approve and always allow" }).click();
    await sees(log(page), "Done with three.");
    const [{ rules: kept }] = await rpc(page, [["rules.list", {}]]);
    assert.deepEqual(kept, ["bash(touch three.txt)"]);
    await begin(page, "make three.txt once more");
    await sees(log(page), "Done with three.");
    assert.equal(await card(page).count(), 0);
  });

  await check("several calls stand on one screen, each with its own choice", here, async ({ page }) => {
    await begin(page, "make several");
    const screen = card(page, /Steward wants to do 3 things/);
    await screen.waitFor();
    for (const name of ["a.txt", "b.txt", "c.txt"]) await sees(screen, `touch ${name}`);
    await screen.getByRole("button", { name: "No", exact: true }).nth(1).click();
    await screen.getByRole("button", { name: /^Approve 2 of 3/ }).click();
    await sees(log(page), "Done with several.");
    assert.deepEqual(["a.txt", "b.txt", "c.txt"].map(made), [true, false, true]);
  });

  await check("keyboard only: A approves, D denies, Escape stops", here, async ({ page }) => {
    await page.goto(`${here.address}/#/chat`);
    await field(page).waitFor();
    await page.keyboard.type("make four.txt");
    await page.keyboard.press("Enter");
    await card(page).waitFor();
    const focusCard = async () => {
      for (let presses = 0; presses < 40; presses += 1) {
        if (await card(page).evaluate((element) => element.matches(":focus-within"))) break;
        await page.keyboard.press("Shift+Tab");
      }
      // A key that comes too soon after the card has the focus is not meant for it.
      await page.waitForTimeout(400);
    };
    await focusCard();
    await page.keyboard.press("a");
    await sees(log(page), "Done with four.");
    assert.ok(made("four.txt"));
    await field(page).focus();
    await page.keyboard.type("make five.txt");
    await page.keyboard.press("Enter");
    await card(page).waitFor();
    await focusCard();
    await page.keyboard.press("d");
    await sees(log(page), "Done with five.");
    assert.ok(!made("five.txt"));
    await field(page).focus();
    await page.keyboard.type("make six.txt");
    await page.keyboard.press("Enter");
    await card(page).waitFor();
    await page.keyboard.press("Escape");
    await sees(log(page), "You stopped this.");
    await gone(card(page));
    assert.ok(!made("six.txt"));
  });

  await check("a letter in the message field decides nothing", here, async ({ page }) => {
    await begin(page, "make six.txt");
    await card(page).waitFor();
    await field(page).focus();
    await page.keyboard.type("a d a d");
    await page.waitForTimeout(400);
    assert.ok(await card(page).isVisible());
    await card(page).getByRole("button", { name: /^Deny D/ }).click();
    await sees(log(page), "Done with six.");
    assert.ok(!made("six.txt"));
  });

  await check("two tabs agree: decided in one, closed in the other", here, async ({ page, context }) => {
    await begin(page, "make seven.txt");
    const other = await context.newPage();
    await other.goto(`${here.address}/#/waiting`);
    await card(other).waitFor();
    await other.getByRole("button", { name: /^Approve/ }).click();
    await gone(card(other));
    await gone(card(page));
    await sees(log(page), "Done with seven.");
    await other.goto(page.url());
    await sees(log(other), "Done with seven.");
    assert.ok(made("seven.txt"));
    await say(other, "hello from the other tab");
    await sees(log(page), "hello from the other tab");
    await sees(log(page), "Good morning.");
  });

  await check("what waits elsewhere is announced and can be decided from anywhere", here, async ({ page }) => {
    await begin(page, "make five.txt");
    await card(page).waitFor();
    await page.getByRole("link", { name: "All conversations" }).click();
    await sees(page.getByRole("status"), /Elsewhere, Steward wants to/);
    await page.getByRole("button", { name: "Look" }).click();
    const sheet = page.getByRole("dialog", { name: "Waiting for you" });
    await card(sheet).getByRole("button", { name: /^Deny D/ }).click();
    await gone(sheet);
  });
}
