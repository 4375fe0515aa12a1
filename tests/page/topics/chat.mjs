// A conversation in its details: history, pictures, editing, taking back, and a model that fails.
import { slowly } from "../world.mjs";
import { begin, field, gone, log, rpc, say, sees, shown, times, until } from "../steps.mjs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
const GUIDE = `# A guide\n\n${"Step by step we go on, *slowly* and with `care`. ".repeat(30)}\n\n\`\`\`js\nlet fence = "open";\n${"walk(fence);\n".repeat(20)}\`\`\`\n\nThe end of the guide.`;
const HISTORY = 45;
const PORTION = 15;

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("guide", GUIDE, slowly(GUIDE, 2));
  model.says(/number \d+\./, "So noted.");
  model.says("words", "I heard you.");
  // A picture follows its result in a message of its own, so the last words are not the owner's any more.
  model.on({ predicate: ({ messages }) => messages.some(({ role }) => role === "tool") }, { content: "There it is." });
  model.calls("show me the dot", [["read", { path: "dot.png" }]], "");
  model.on({ userMessage: "out of money" }, { error: { message: "You have no credit left; add some at the counter.", type: "billing" }, status: 402 });
  writeFileSync(join(here.workspace, "dot.png"), Buffer.from(DOT, "base64"));

  await check("what is drawn while it streams stays, and draws no breath too long", here, async ({ page }) => {
    await page.evaluate(() => {
      window.long = [];
      new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
    });
    await begin(page, "the guide");
    const heading = log(page).getByRole("heading", { name: "A guide" });
    await heading.evaluate((node) => (node.mark = "kept"));
    await sees(log(page), "walk(fence);");
    assert.equal(await times(page, "```"), 0, "an open fence is code at once");
    await sees(log(page), "The end of the guide.");
    await page.getByRole("button", { name: "Copy the answer" }).waitFor();
    assert.equal(await heading.evaluate((node) => node.mark), "kept", "it was drawn anew");
    const long = await page.evaluate(() => window.long.filter((ms) => ms > 1000));
    assert.deepEqual(long, [], "the page stood still");
  });

  await check("a message that waits can be taken back, also after a reload", here, async ({ page }) => {
    await begin(page, "the guide");
    await sees(log(page), "Step by step");
    await say(page, "second words");
    await say(page, "third words");
    await log(page).getByText("queued, comes next").nth(1).waitFor();
    await page.reload();
    await log(page).getByRole("button", { name: "Remove" }).nth(1).click();
    await until(() => times(page, "third words"), (many) => many === 0);
    await page.keyboard.press("Escape");
    await sees(log(page), "I heard you.");
    assert.equal(await times(page, "second words"), 1);
    assert.equal(await times(page, "third words"), 0);
  });

  await check("the last message is edited and sent again", here, async ({ page }) => {
    await begin(page, "first words");
    await sees(log(page), "I heard you.");
    await field(page).press("ArrowUp");
    await until(() => field(page).inputValue(), (text) => text === "first words");
    await say(page, "better words");
    await until(() => times(page, "I heard you."), (many) => many === 2);
  });

  await check("a model that fails is quoted, and the message can be sent again", here, async ({ page, broken }) => {
    await begin(page, "we are out of money");
    await sees(log(page).getByRole("alert"), /no credit left/);
    await log(page).getByRole("button", { name: "Send again", exact: true }).click();
    await until(() => times(page, "no credit left"), (many) => many === 2);
    assert.deepEqual(broken, []);
  });

  await check("a picture of a tool is shown, from the page's own memory", here, async ({ page }) => {
    await begin(page, "show me the dot");
    await sees(log(page), "There it is.");
    await log(page).getByRole("button", { name: /dot\.png/ }).click();
    const picture = log(page).getByRole("img").first();
    await until(() => picture.evaluate((image) => image.naturalWidth), (width) => width === 10);
    assert.match(await picture.getAttribute("src"), /^blob:/);
  });

  await check("a long history comes in pieces and does not move who reads", here, async ({ page }) => {
    const url = await begin(page, "number 0.");
    await sees(log(page), "So noted.");
    const session = decodeURIComponent(url.split("/").at(-1));
    // No more wait at once than may.
    for (let sent = 1; sent < HISTORY; sent += PORTION) {
      const portion = Array.from({ length: Math.min(PORTION, HISTORY - sent) }, (_, index) => sent + index);
      await rpc(page, portion.map((number) => ["chat.send", { sessionKey: session, message: `number ${number}.` }]));
      await until(() => times(page, "So noted."), (many) => many === sent + portion.length);
    }
    await page.reload();
    await sees(log(page), `number ${HISTORY - 1}.`);
    assert.equal(await times(page, "number 0."), 0, "all of it was fetched at once");
    await log(page).getByText("number 20.").scrollIntoViewIfNeeded();
    const mark = log(page).getByText("number 20.");
    await page.mouse.move(700, 400);
    for (let turn = 0; turn < 40 && (await times(page, "number 0.")) === 0; turn += 1) await page.mouse.wheel(0, -300);
    await until(() => times(page, "number 0."), (many) => many === 1);
    assert.match(await shown(log(page)), /number 0\.[\s\S]*number 1\.[\s\S]*number 44\./, "in order");
    assert.ok(await mark.count());
    await gone(page.getByRole("button", { name: "Earlier messages" }));
  });
}
