// The first day: no model is set up, and Steward is of use all the same.
import { begin, field, log, sees, shown } from "../steps.mjs";
import assert from "node:assert/strict";

export default async function ({ house, check, model }) {
  const here = await house({ bare: true, env: { ANTHROPIC_BASE_URL: model.url } });

  await check("set-up comes first, and one can start with the offline helper", here, async ({ page }) => {
    await page.getByRole("heading", { name: "Set up a model" }).waitFor();
    await page.getByRole("link", { name: "Go on without a model" }).click();
    await field(page).waitFor();
    await page.getByRole("link", { name: "Set up a model" }).waitFor();
    await begin(page, "What can you do?");
    await sees(log(page), /offline/i);
  });

  await check("a wrong key is refused and shown nowhere; the right one is kept", here, async ({ page }) => {
    await page.goto(`${here.address}/#/setup`);
    const key = "sk-ant-wrong-0123456789abcdef0123456789";
    model.nextRequestError(401, { message: "invalid x-api-key, says the provider", type: "authentication_error" });
    await page.getByLabel("Provider").selectOption("anthropic");
    await page.getByLabel("Key", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Test and save" }).click();
    await sees(page.getByRole("alert"), /anthropic\W* did not accept the key/);
    assert.ok(!(await shown(page.locator("body"))).includes(key));
    model.on({}, { content: "yes" });
    await page.getByLabel("Key", { exact: true }).fill("sk-ant-right-0123456789abcdef0123456789");
    await page.getByRole("button", { name: "Test and save" }).click();
    await sees(page, /The key works and is kept/);
    await sees(page, "answers now");
    await page.getByRole("link", { name: "Start a conversation" }).click();
    await page.getByRole("heading", { name: "What shall Steward do?" }).waitFor();
    await begin(page, "Are you there?");
    await sees(log(page), "yes");
    assert.ok(!(await shown(page.locator("body"))).includes("sk-ant-right"));
  });
}
