// How every view looks, in the light, in the dark and on a phone: no serious fault for those who see or hear it
// otherwise, nothing wider than the screen, and a picture of each in `target/screenshots/`.
import { DESK, PHONE, visit } from "../world.mjs";
import { Play } from "../play.mjs";
import { asking as programAsking, program, request, whole as programWhole } from "../program.mjs";
import { begin, card, field, log, rpc, say, sees, until } from "../steps.mjs";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import assert from "node:assert/strict";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = join(import.meta.dirname, "../../../target/screenshots");

const ANSWER = `Here is what I found about the **garden** this week.

## What needs water

| bed | plant | every |
|---|---|---|
| north | tomatoes | evening |
| south | beans | second day |

1. Look at the soil first; \`dry\` means two fingers deep.
2. Then water slowly.

\`\`\`python
def water(bed, litres=4):
    """Waters one bed."""
    for plant in bed.plants:
        plant.drink(litres / len(bed.plants))  # a share each
\`\`\`

> Rain is likely on Thursday, so you may skip that day.

More at [the almanac](https://example.org/almanac).`;

/** Fills a house with what a week leaves behind. */
async function furnish(browser, house, model) {
  const memory = join(house.workspace, "memory/garden.md");
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(memory, "# Garden\n\nThe tomatoes need water every evening.\nBeans need it every second day.\n");
  writeFileSync(join(house.workspace, "MEMORY.md"), "# What to remember\n\n- Ada likes short answers.\n- The garden is behind the house.\n");
  // The words of MEMORY.md stand at the head of every conversation, so those below say more than it does.
  model.says("needs today", "The **tomatoes** want water this evening. Rain is likely on Thursday.");
  model.says("garden need", ANSWER);
  model.calls("tidy up", [["read", { path: "MEMORY.md" }], ["bash", { command: "mv notes.txt archive/notes.txt" }], ["bash", { command: "rm -r build" }]], "All tidy.");
  model.calls("look around", [["read", { path: "MEMORY.md" }], ["glob", { pattern: "**/*.md" }], ["read", { path: "no-such-file.txt" }]], "I looked around: two notes, and one file that is not there.");
  model.says("weather", "It **rains** until Thursday.");
  const { context, page } = await visit(browser, house);
  await begin(page, "What does the garden need?");
  await sees(log(page), "the almanac");
  await say(page, "Please look around");
  await sees(log(page), "I looked around");
  const garden = page.url();
  await begin(page, "Please tidy up the workspace");
  await card(page).waitFor();
  const asking = page.url();
  const { id } = await house.api("/api/tasks", { prompt: "Tell me the weather, every morning" });
  await page.goto(`${house.address}/#/tasks/${id}`);
  await sees(page.getByRole("log", { name: "What happened" }), /It rains/);
  await order(page);
  await context.close();
  const at = (url) => url.replace(house.address, "");
  return { garden: at(garden), asking: at(asking), task: `/#/tasks/${id}` };
}

/** Gives standing orders of every kind, and lets one of them come due. */
async function order(page) {
  const add = (name, schedule, message, more = {}) => ["jobs.add", { name, schedule, message, ...more }];
  await rpc(page, [
    add("morning look at the garden", "every weekday at 7:30", "Tell me what the garden needs today."),
    add("pizza", "in 40 minutes", "Take the pizza out.", { deleteAfterRun: true }),
    add("water the tomatoes", { kind: "every", everyMs: 7_200_000 }, "Is it dry?", { missed: "skip" }),
    add("report of the month", "on the first of every month at 8", "Write what was done.", { enabled: false, missed: "all" }),
    ["tasks.create", { prompt: "Every evening, count the mails and tell me if there are more than ten", kind: "recurring", schedule: "every day at 18:00" }],
    ["tasks.create", { prompt: "When a mail comes: if it is spam, delete it", kind: "event" }],
  ]);
  await rpc(page, [["jobs.run", { id: "morning look at the garden" }]]);
  await until(() => rpc(page, [["notices.list", {}]]), ([{ notices }]) => notices.length > 0);
}

/** What axe finds that would keep somebody out. */
async function faults(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const grave = violations.filter((fault) => fault.impact === "serious" || fault.impact === "critical");
  return grave.flatMap((fault) => fault.nodes.map((node) => `${fault.id}: ${node.target.flat().join(" ")} ${node.any[0]?.message ?? node.all[0]?.message ?? ""}`));
}

export default async function ({ house, check, browser, model }) {
  const here = await house();
  const bare = await house({ bare: true });
  const { garden, asking, task } = await furnish(browser, here, model);
  mkdirSync(PICTURES, { recursive: true });

  const open = (path) => async (page, place) => page.goto(place.address + path);
  const play = (facts) => async (page, place) => {
    const played = new Play().before(...facts);
    await played.join(page);
    await page.goto(`${place.address}/#/chat/${played.session}`);
    await page.reload();
  };
  const heading = (name) => async (page) => page.getByRole("heading", { name, level: 1 }).waitFor();
  // Each: its name, how to get there, what shows that it is there, and maybe another house or no cookie.
  const places = [
    ["new", open("/#/chat"), heading("What shall Steward do?")],
    ["chat", open(garden), async (page) => sees(log(page), "I looked around")],
    ["chat-unfolded", open(garden), async (page) => {
      await log(page).getByRole("button", { expanded: false }).first().click();
      await sees(log(page), "Output");
    }],
    ["approval", open(asking), async (page) => card(page).waitFor()],
    ["waiting", open("/#/waiting"), async (page) => card(page).waitFor()],
    ["always", open(asking), async (page) => card(page).getByRole("button", { name: "Always allow…" }).click()],
    ["program-wrong", play(programWhole), async (page) => program(page, 0).evaluate((block) => block.scrollIntoView())],
    ["program", play(programWhole), async (page) => {
      await program(page).getByRole("button", { name: /github.issues.close/ }).nth(1).click();
      await program(page).evaluate((block) => block.scrollIntoView());
    }],
    ["program-end", play(programWhole), async (page) => sees(log(page), "I closed 13")],
    ["program-approval", play(programAsking), async (page) => request(page).evaluate((screen) => screen.scrollIntoView())],
    ["program-approval-end", play(programAsking), async (page) => {
      await request(page).getByRole("checkbox").nth(2).uncheck();
      await request(page).getByText("1 warning").click();
      await request(page).evaluate((screen) => screen.scrollIntoView({ block: "end" }));
    }],
    ["sessions", open("/#/sessions"), async (page) => page.getByRole("main").getByRole("link", { name: /does the garden need/ }).waitFor()],
    ["tasks", open("/#/tasks"), async (page) => page.getByRole("main").getByRole("link", { name: /weather/ }).waitFor()],
    ["task", open(task), async (page) => sees(page.getByRole("log", { name: "What happened" }), /It rains/)],
    ["task-orders", open("/#/tasks"), async (page) => {
      await page.getByRole("textbox", { name: "New task" }).fill("Count the mails, and tell me if there are more than ten");
      await page.getByRole("radio", { name: "Again and again" }).press(" ");
      await page.getByRole("textbox", { name: "When, in words" }).fill("every weekday at 18:00");
      await sees(page.getByRole("status"), "every weekday at 18:00");
    }],
    ["task-hook", open("/#/tasks"), async (page) => {
      await page.getByRole("textbox", { name: "New task" }).fill("When a mail comes: if it is spam, delete it");
      await page.getByRole("radio", { name: "When something happens" }).press(" ");
      await page.getByRole("button", { name: "Start task" }).click();
      await page.getByRole("group", { name: "Where to hand something in" }).waitFor();
    }],
    ["schedules", open("/#/schedules"), async (page) => page.getByRole("link", { name: /pizza/ }).waitFor()],
    ["schedule", open("/#/schedules"), async (page) => {
      await page.getByRole("link", { name: /morning look/ }).click();
      await sees(page.getByRole("list", { name: "History" }), "Done");
    }],
    ["schedule-new", open("/#/schedules/new"), async (page) => {
      await page.getByRole("textbox", { name: "Name" }).fill("standup");
      await page.getByRole("textbox", { name: "When, in words" }).fill("every weekday at 9");
      await page.getByText("More choices").click();
      await sees(page.getByRole("status"), "every weekday at 09:00");
    }],
    ["schedules-empty", open("/#/schedules"), async (page) => sees(page, /Nothing is scheduled/), { at: bare }],
    ["notices", open("/#/notices"), async (page) => page.getByRole("article", { name: /morning look/ }).first().waitFor()],
    ["notice-in-conversation", open(asking), async (page) => page.getByRole("article", { name: /morning look/ }).first().waitFor()],
    ["background", open("/#/sessions"), async (page) => {
      await page.getByRole("main").getByRole("link", { name: /^Reminder/ }).click();
      await page.getByText("A standing order came due").click();
      await sees(log(page), /tomatoes want water/);
    }],
    ["memory-search", open("/#/memory"), async (page) => {
      await page.getByRole("searchbox", { name: "Search memory" }).fill("water tomatoes garden");
      await page.getByRole("link", { name: /tomatoes need water/ }).waitFor();
    }],
    ["memory", open("/#/memory"), async (page) => page.getByRole("link", { name: /garden\.md/ }).waitFor()],
    ["memory-file", open("/#/memory"), async (page) => {
      await page.getByRole("link", { name: /garden\.md/ }).click();
      await page.getByRole("textbox", { name: /garden\.md/ }).waitFor();
    }],
    ["tools", open("/#/tools"), async (page) => page.getByRole("heading", { name: "Sandbox" }).waitFor()],
    ["audit", open("/#/audit"), async (page) => {
      await page.getByRole("button", { name: "Verify" }).click();
      await sees(page.getByRole("status"), /Whole:/);
    }],
    ["usage", open("/#/usage"), async (page) => page.getByRole("application").waitFor()],
    ["settings", open("/#/settings"), async (page) => page.getByRole("heading", { name: "This Steward" }).waitFor()],
    ["palette", open("/#/chat"), async (page) => {
      await field(page).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").waitFor();
    }],
    ["help", open("/#/sessions"), async (page) => {
      await heading("All conversations")(page);
      await page.locator("body").press("?");
      await page.getByRole("dialog").waitFor();
    }],
    ["setup", open("/#/setup"), async (page) => page.getByRole("heading", { name: "On this machine" }).waitFor(), { at: bare }],
    ["first-day", open("/"), async (page) => {
      await page.getByRole("link", { name: "Go on without a model" }).click();
      await heading("What shall Steward do?")(page);
    }, { at: bare }],
    ["sign-in", open("/"), heading("Sign in to Steward"), { at: bare, signedIn: false }],
  ];

  const looks = [
    ["light", { colorScheme: "light", viewport: DESK }],
    ["dark", { colorScheme: "dark", viewport: DESK }],
    ["phone", { colorScheme: "light", viewport: PHONE, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }],
  ];
  for (const [look, options] of looks) {
    for (const [name, go, there, other = {}] of places) {
      const place = other.at ?? here;
      await check(`${name}, ${look}`, place, async ({ page, broken }) => {
        await go(page, place);
        await there(page);
        // The pointer rests nowhere, and words that pass are gone.
        await page.screenshot({ path: join(PICTURES, `${name}-${look}.png`), animations: "disabled" });
        const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `it is ${wide} px wider than the screen`);
        assert.deepEqual(await faults(page), []);
        if (other.signedIn === false) broken.splice(0, broken.length, ...broken.filter((what) => !/status of 401/.test(what)));
      }, { ...options, signedIn: other.signedIn ?? true });
    }
  }
}
