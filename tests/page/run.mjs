// The page in a real browser, against the real binary. Usage: node run.mjs PATH-TO-STEWARD [TOPIC…]
import { Model, House, openBrowser, visit } from "./world.mjs";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import assert from "node:assert/strict";

const [path, ...wanted] = process.argv.slice(2);
const steward = resolve(path);
const topics = readdirSync(join(import.meta.dirname, "topics")).map((file) => file.replace(".mjs", ""));
const chosen = topics.filter((topic) => wanted.length === 0 || wanted.includes(topic));
const tally = { passed: 0, failed: 0 };
const began = Date.now();
const browser = await openBrowser();

/** What a topic is handed: a house with its model, and `check`, which runs one test in a browser of its own. */
async function world(topic) {
  const model = new Model();
  await model.start();
  const houses = [];
  const house = async (options = {}) => {
    const made = await new House(steward, options.bare ? undefined : model, options.env).start();
    houses.push(made);
    return made;
  };
  const check = async (name, place, test, options = {}) => {
    const start = Date.now();
    const { context, page, broken } = await visit(browser, place, options);
    try {
      await test({ page, context, broken });
      assert.deepEqual(broken, [], "something happened on the page that must not");
      tally.passed += 1;
      console.log(`ok   ${topic}: ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      tally.failed += 1;
      console.log(`FAIL ${topic}: ${name}\n${error.stack}\n${broken.join("\n")}`);
      if (process.env.LOOK) await page.screenshot({ path: join(process.env.LOOK, `${topic}-${tally.failed}.png`) });
    } finally {
      await context.close();
    }
  };
  const end = async () => {
    await Promise.all(houses.map((each) => each.stop()));
    await model.stop();
  };
  return { model, house, check, browser, end };
}

async function all(topic) {
  const { default: test } = await import(`./topics/${topic}.mjs`);
  const { end, ...rest } = await world(topic);
  try {
    await test(rest);
  } catch (error) {
    tally.failed += 1;
    console.log(`FAIL ${topic}\n${error.stack}`);
  }
  await end();
}

// Topics have houses and models of their own, so two can go on at a time; the longest goes first.
const waiting = chosen.toSorted((a, b) => Number(b === "looks") - Number(a === "looks"));
const worker = async () => {
  for (let topic = waiting.shift(); topic; topic = waiting.shift()) await all(topic);
};
await Promise.all([worker(), worker()]);
await browser.close();
console.log(`\n${tally.passed} passed, ${tally.failed} failed in ${Math.round((Date.now() - began) / 1000)} s`);
process.exit(tally.failed === 0 ? 0 : 1);
