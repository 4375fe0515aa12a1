// The ways in, and what a browser without one sees.
import { TOKEN } from "../world.mjs";
import { field, sees, gone } from "../steps.mjs";
import assert from "node:assert/strict";

/** The browser itself notes every refusal, and asks for a picture of a site whose page is none. */
function forgive(broken) {
  broken.splice(0, broken.length, ...broken.filter((what) => !/status of 40[14]/.test(what)));
}

export default async function ({ house, check, model }) {
  const here = await house();
  model.says("hello", "Good morning.");

  await check("a link signs in, and only once; who is in already comes to the page", here, async ({ page, context, broken }) => {
    await page.getByRole("heading", { name: "Sign in to Steward" }).waitFor();
    const link = await here.signInLink();
    await page.goto(link);
    await field(page).waitFor();
    assert.equal(new URL(page.url()).pathname, "/", "the link does not stay in the address");
    await page.goto(link);
    await field(page).waitFor();
    await context.clearCookies();
    await page.goto(link);
    await page.getByRole("heading", { name: "Sign in to Steward" }).waitFor();
    await sees(page, /That link was used or is too old/);
    assert.equal(new URL(page.url()).search, "", "the address forgets it");
    forgive(broken);
  }, { signedIn: false });

  await check("a wrong token is refused in words, the right one signs in and stays", here, async ({ page, context, broken }) => {
    const token = page.getByLabel("Token");
    await token.fill("not the token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await sees(page.getByRole("alert"), /That is not the token/);
    await token.fill(TOKEN);
    await token.press("Enter");
    await field(page).waitFor();
    await page.reload();
    await field(page).waitFor();
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
    assert.ok(!kept.includes(TOKEN), "a script could read the token");
    const [cookie] = await context.cookies();
    assert.ok(cookie.httpOnly && cookie.sameSite === "Strict" && !cookie.value.includes(TOKEN));
    forgive(broken);
  }, { signedIn: false });

  await check("a signed-in browser sees neither field nor token", here, async ({ page }) => {
    await field(page).waitFor();
    await gone(page.getByLabel("Token"));
  });
}
