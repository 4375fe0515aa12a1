// Texts that would like to be more: from the model, from tools, in names and titles. They stay text, whatever happens.
import { PAYLOADS } from "../payloads.mjs";
import { begin, card, gone, log, say, sees, shown, until } from "../steps.mjs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

/** Presses what invites to be pressed, and looks whether anything came of it. */
async function stillQuiet(page) {
  // Whatever text there is to click may be clicked; where it leads is looked at first.
  const links = await page.locator("a").evaluateAll((all) => all.map((link) => link.href?.baseVal ?? link.href));
  for (const link of links) assert.match(link, /^(https?:|mailto:)/, "a link leads elsewhere than to a page");
  const kinds = "iframe, object, embed, script:not([src^='/assets/']), style, link[href*='evil'], base, meta[http-equiv], form[action], video, audio";
  const inside = await log(page).locator(kinds).count();
  assert.equal(inside, 0, "an element that has no place in a conversation");
  const pictures = await log(page).locator("img").evaluateAll((all) => all.map((image) => image.src));
  for (const picture of pictures) assert.match(picture, /^blob:/, "a picture that is not the page's own");
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
}

export default async function ({ house, check, model }) {
  const here = await house();
  const many = PAYLOADS.length;
  PAYLOADS.forEach((payload, index) => model.says(`payload ${index}.`, `${payload}\n\nEnd of ${index}.`, { chunkSize: 5 }));

  await check("what the model says", here, async ({ page }) => {
    await begin(page, "payload 0.");
    for (let index = 0; index < many; index += 1) {
      if (index > 0) await say(page, `payload ${index}.`);
      // An open fence or tag takes the end of its answer with it; the turn's end is what counts.
      await until(() => page.getByRole("button", { name: "Copy the answer" }).count(), (ended) => ended === index + 1);
    }
    await stillQuiet(page);
    await page.reload();
    await until(() => page.getByRole("button", { name: "Copy the answer" }).count(), (ended) => ended >= Math.min(many, 30));
    await stillQuiet(page);
    for (const each of await log(page).getByText("click me").all()) await each.click({ force: true, timeout: 1000, trial: await isLink(each) }).catch(() => {});
    await stillQuiet(page);
  });

  await check("what the owner says, and the titles made of it", here, async ({ page }) => {
    model.says(/^/, "So be it.");
    await page.goto(`${here.address}/#/chat`);
    for (const payload of PAYLOADS.slice(0, 12)) {
      await begin(page, payload);
      await sees(log(page), "So be it.");
      await sees(log(page), payload.split("\n")[0]);
    }
    await say(page, `/rename ${PAYLOADS[1]}`);
    await page.getByRole("heading", { name: PAYLOADS[1] }).waitFor();
    await stillQuiet(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("img");
    await page.getByRole("option", { name: /onerror/ }).first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "All conversations" }).click();
    await sees(page.getByRole("main"), PAYLOADS[1]);
    assert.equal(await page.evaluate(() => window.__pwned), undefined);
  });

  await check("names of files, and what is in them", here, async ({ page }) => {
    const names = ['<img src=x onerror="window.__pwned=1">.txt', "[click me](javascript:window.__pwned=1).md", "<svg onload=window.__pwned=1>.py"];
    for (const name of names) writeFileSync(join(here.workspace, name), PAYLOADS.join("\n"));
    model.prependFixture({ match: { userMessage: "read them", hasToolResult: true }, response: { content: "I have read them." } });
    model.prependFixture({ match: { userMessage: "read them", hasToolResult: false }, response: { toolCalls: names.map((path) => ({ name: "read", arguments: JSON.stringify({ path }) })) } });
    await begin(page, "read them");
    await sees(log(page), "I have read them.");
    const lines = log(page).getByRole("button", { expanded: false });
    for (const line of (await lines.all()).reverse()) await line.click();
    await sees(log(page), /javascript:window\.__pwned=1\)\.md/);
    assert.ok((await shown(log(page))).includes(PAYLOADS[0]), "the output is shown as it is");
    await stillQuiet(page);
  });

  await check("what is asked for", here, async ({ page }) => {
    const commands = PAYLOADS.slice(0, 8).map((payload) => `echo '${payload.replaceAll("'", "")}'`);
    model.prependFixture({ match: { userMessage: "ask me", hasToolResult: true }, response: { content: "I have asked." } });
    model.prependFixture({ match: { userMessage: "ask me", hasToolResult: false }, response: { toolCalls: commands.map((command) => ({ name: "bash", arguments: JSON.stringify({ command }) })) } });
    await begin(page, "ask me");
    await card(page, /do 8 things/).waitFor();
    assert.ok((await shown(card(page))).includes(commands[1]));
    await stillQuiet(page);
    await page.getByRole("link", { name: /Waiting for you/ }).click();
    await card(page, /do 8 things/).waitFor();
    await card(page).getByRole("button", { name: "Deny with a reason…" }).click();
    await page.getByLabel(/Why not/).fill(PAYLOADS[1].slice(0, 400));
    await page.getByLabel(/Why not/).press("Enter");
    await gone(card(page));
    await page.goBack();
    await sees(log(page), "I have asked.");
    await stillQuiet(page);
    await page.goto(`${here.address}/#/audit`);
    await page.getByRole("main").getByRole("listitem").nth(5).waitFor();
    assert.equal(await page.evaluate(() => window.__pwned), undefined);
  });

  await check("a task's order, its story and a memory", here, async ({ page }) => {
    writeFileSync(join(here.workspace, "MEMORY.md"), PAYLOADS.join("\n\n"));
    await here.api("/api/tasks", { prompt: `payload 1. ${PAYLOADS[1]}` });
    await page.goto(`${here.address}/#/tasks`);
    await page.getByRole("main").getByRole("link", { name: /payload 1/ }).click();
    await sees(page.getByRole("log", { name: "What happened" }), "End of 1.");
    assert.equal(await page.evaluate(() => window.__pwned), undefined);
    await page.goto(`${here.address}/#/memory`);
    await page.getByRole("searchbox", { name: "Search memory" }).fill("onerror");
    await sees(page.getByRole("main"), /onerror=/);
    assert.equal(await page.evaluate(() => window.__pwned), undefined);
  });
}

/** Whether a click would leave for a page elsewhere, which is allowed and is not to be done here. */
async function isLink(locator) {
  return locator.evaluate((element) => Boolean(element.closest("a[href^='http']")));
}
