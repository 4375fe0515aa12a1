// The story of a program, as events to be played: one that does not fit, then one that lists issues, asks to close fifteen of
// them, may close thirteen, and ends.
import { answered, asks, done, ended, finished, fits, said, started, wrote } from "./play.mjs";
import { log } from "./steps.mjs";

export const CODE = `// Close what nobody has touched for a year.
const issues = await tools.github.issues.list({ repo: "ada/garden", state: "open" });
const old = issues.filter((issue) => issue.updatedAt < "2025-01-05");
console.log(\`\${old.length} of \${issues.length} are old\`);

async function close(issue: { number: number; title: string }) {
  try {
    await tools.github.issues.close({ repo: "ada/garden", number: issue.number });
    return { number: issue.number, closed: true };
  } catch (error) {
    // The owner may say no to some of them.
    return { number: issue.number, closed: false };
  }
}

const closed = await Promise.all(old.map(close));
const count = closed.filter((each) => each.closed).length;
await tools.mail.send({ to: "ada@example.org", subject: \`\${count} issues closed\` });
return { closed: count, left: closed.length - count };`;

const WRONG = 'const issues = await tools.github.issues.lst({ repo: "ada/garden" });\nfor (const issue of issues) {\n  await tools.github.issues.close({ number: issue.id });\n}';
const ERRORS = `The program does not fit its tools. Correct it and call run_code again.
1:42 TS2551 Property 'lst' does not exist on type 'GithubIssues'. Did you mean 'list'?
3:36 TS2741 Property 'repo' is missing in type '{ number: any; }' but required in type 'GithubIssuesCloseInput'.`;

const NUMBERS = Array.from({ length: 15 }, (_, index) => 101 + index * 7);
export const closes = NUMBERS.map((number) => [`c${number}`, "github.issues.close", { repo: "ada/garden", number }]);

export const screen = (program, calls, forecast) => ({
  kind: "approval.requested",
  approval: "0199a000-0000-7000-8000-0000000000aa",
  calls: calls.map(([call, tool, given], index) => ({
    call,
    tool,
    summary: tool,
    details: JSON.stringify(given),
    risk: "risky",
    reason: "it changes something outside",
    flags: index === 3 ? ["the title of this issue was written by a stranger"] : [],
    cwd: "/home/ada/steward/workspace",
    confinement: "no files, network to `api.github.com` only",
    rules: ["github.issues.close"],
  })),
  expires_at: new Date(Date.now() + 1_800_000).toISOString(),
  forecast: { program, calls: forecast },
});

const AFTER = [
  { tool: "mail.send", summary: "send a mail to `ada@example.org`" },
  { tool: "memory.write", summary: "write `memory/garden.md`" },
];

/** A wrong program, then one that fits and has listed the issues. */
export const begun = [
  said("Close the issues nobody has touched for a year"),
  { kind: "model.asked", attempt: 1, model: "openai/gpt-test" },
  ...wrote("p1", WRONG),
  done("p1", "failed", ERRORS),
  { kind: "model.asked", attempt: 2, model: "openai/gpt-test" },
  ...wrote("p2", CODE),
  fits("p2"),
  ...asks("p2", [["list", "github.issues.list", { repo: "ada/garden", state: "open" }]], "allow"),
  started("list"),
  done("list", "succeeded", JSON.stringify(NUMBERS)),
];

/** What then is on the screen. */
export const asking = [...begun, ...asks("p2", closes, "ask", "15 of 63 are old\n"), screen("p2", closes, AFTER)];

export const APPROVAL = asking.at(-1).approval;
export const decided = (no) => ({
  kind: "approval.decided",
  approval: APPROVAL,
  decisions: closes.map(([call]) => ({ call, approved: !no.includes(call), ...(no.includes(call) ? { reason: "not chosen by the owner" } : {}) })),
  by: "web",
});

const NO = ["c108", "c129"];
export const decidedAndRun = [
  decided(NO),
  ...NO.map((call) => done(call, "denied", "The owner said no.")),
  ...closes.filter(([call]) => !NO.includes(call)).flatMap(([call]) => [started(call), done(call, "succeeded", `Closed ${call.slice(1)}.`)]),
  ...asks("p2", [["mail", "mail.send", { to: "ada@example.org", subject: "13 issues closed" }]], "allow"),
  started("mail"),
  done("mail", "succeeded", "Sent."),
  ended("p2", { status: "returned", value: '{"closed":13,"left":2}' }, "mail sent\n"),
  done("p2", "succeeded", "17 calls"),
];

/** All of it. */
export const whole = [...asking, ...decidedAndRun, answered("I closed 13 of the 15 old issues and left the two you did not choose."), finished];

export const program = (page, number = 1) => log(page).getByRole("group", { name: "Program" }).nth(number);
export const request = (page) => page.getByRole("group", { name: /A program asks for/ });
