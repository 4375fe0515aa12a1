// Text that comes: while it comes, after a stop, a reload, a crash.
import { slowly } from "../world.mjs";
import { begin, field, log, say, sees, shown, times, until } from "../steps.mjs";
import assert from "node:assert/strict";

const numbered = (many) => Array.from({ length: many }, (_, index) => `Sentence ${index + 1}.`).join(" ");
const STORY = numbered(120);

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("story", STORY, slowly(STORY, 2));
  model.says("saga", STORY, slowly(STORY, 4));
  model.says("hello", "Good **morning**.");

  /** Every sentence is there, once, in order. */
  const whole = async (page) => {
    await sees(log(page), "Sentence 120.");
    const text = (await shown(log(page))).replace(/\s+/g, " ");
    assert.equal(text.split(STORY).length - 1, 1, "the story stands there once, whole");
    assert.equal(await times(page, "Sentence 7."), 1);
  };

  await check("an answer is there, as Markdown", here, async ({ page }) => {
    await begin(page, "hello there");
    await sees(log(page), "Good morning.");
    assert.equal(await log(page).locator("strong").innerText(), "morning");
    await until(() => page.title(), (title) => title.includes("hello there"));
  });

  await check("text appears while it comes", here, async ({ page }) => {
    await begin(page, "a story");
    await sees(log(page), "Sentence 3.", { exact: false });
    assert.equal(await times(page, "Sentence 120."), 0, "it was not all there at once");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await whole(page);
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  });

  await check("Stop stops, keeps what was said, and says so", here, async ({ page }) => {
    await begin(page, "a story");
    await sees(log(page), "Sentence 3.");
    await page.getByRole("button", { name: "Stop" }).click();
    await sees(log(page), "You stopped this.");
    assert.equal(await times(page, "Sentence 3."), 1);
    assert.equal(await times(page, "Sentence 120."), 0);
    await field(page).waitFor();
  });

  await check("Escape stops", here, async ({ page }) => {
    await begin(page, "a story");
    await sees(log(page), "Sentence 3.");
    await page.keyboard.press("Escape");
    await sees(log(page), "You stopped this.");
  });

  await check("a reload in the middle loses and repeats nothing", here, async ({ page }) => {
    await begin(page, "a saga");
    await sees(log(page), "Sentence 10.");
    await page.reload();
    await sees(log(page), "Sentence 12.");
    assert.equal(await times(page, "Sentence 120."), 0, "it was still under way");
    await whole(page);
    assert.equal(await times(page, "a saga"), 1);
  });

  await check("a daemon killed in the middle and started again goes on", here, async ({ page }) => {
    await begin(page, "a story");
    await sees(log(page), "Sentence 10.");
    await here.kill();
    await sees(page.getByRole("status"), /Reconnecting… nothing is lost/);
    await field(page).fill("hello again");
    await field(page).press("Enter");
    await here.start();
    await page.getByRole("button", { name: "Try now" }).click({ timeout: 1000 }).catch(() => {});
    await whole(page);
    // What was sent meanwhile came too, once.
    await sees(log(page), "Good morning.");
    assert.equal(await times(page, "hello again"), 1);
    await until(() => page.getByText(/Reconnecting/).count(), (many) => many === 0);
  });

  await check("a message sent while Steward works waits its turn", here, async ({ page }) => {
    await begin(page, "a story");
    await sees(log(page), "Sentence 3.");
    await say(page, "hello after that");
    await sees(log(page), "queued, comes next");
    await whole(page);
    await sees(log(page), "Good morning.");
    assert.equal(await times(page, "hello after that"), 1);
  });

  await check("who reads further up is left there", here, async ({ page }) => {
    await begin(page, "a story, and I scroll");
    await sees(log(page), "Sentence 120.");
    await say(page, "another story");
    await until(() => times(page, "Sentence 20."), (many) => many === 2);
    await log(page).hover();
    await page.mouse.wheel(0, -4000);
    const pill = page.getByRole("button", { name: "Jump to latest" });
    await pill.waitFor();
    const top = () => log(page).evaluate((element) => element.parentElement.scrollTop);
    const before = await top();
    await until(() => times(page, "Sentence 120."), (many) => many === 2);
    assert.equal(await top(), before, "what is read does not move");
    await pill.click();
    await pill.waitFor({ state: "hidden" });
  });
}
