// What a person does on the page, by what they see: roles, labels and words.
import assert from "node:assert/strict";

export const field = (page) => page.getByRole("textbox", { name: "Message to Steward" });
export const log = (page) => page.getByRole("log", { name: "Conversation" });

/** The card that asks, by a word of its title. */
export const card = (page, title = /Steward wants to/) => page.getByRole("group", { name: title });

export async function say(page, text) {
  await field(page).fill(text);
  await field(page).press("Enter");
}

/** Waits until this text is to be seen. */
export async function sees(place, text, options = {}) {
  await place.getByText(text, options).first().waitFor();
}

/** Waits until nothing matches any more. */
export async function gone(locator) {
  await locator.first().waitFor({ state: "hidden" });
}

/** Asks again until it is so; says what it was when it never is. */
export async function until(read, holds, seconds = 10) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) assert.fail(`it never came to be; the last was: ${JSON.stringify(value)?.slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Starts a conversation with this message; gives its address. */
export async function begin(page, text) {
  await page.getByRole("link", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: "What shall Steward do?" }).waitFor();
  await say(page, text);
  await page.waitForURL(/#\/chat\/./);
  return page.url();
}

/** All text of an element, also of what its parts draw for themselves; `innerText` stops there. */
export async function shown(locator) {
  return locator.first().evaluate((root) => {
    const read = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      if (/^(STYLE|SCRIPT)$/.test(node.tagName)) return "";
      const inside = [...(node.shadowRoot ?? node).childNodes].map(read).join("");
      const apart = node.nodeType === Node.ELEMENT_NODE && !getComputedStyle(node).display.startsWith("inline");
      return apart ? `\n${inside}\n` : inside;
    };
    return read(root);
  });
}

/** How often a text stands in what the conversation shows. */
export async function times(page, text) {
  return (await shown(log(page))).split(text).length - 1;
}

/** Asks over a socket of the page's own: `[method, params]` each; done when all are answered. */
export async function rpc(page, calls) {
  return page.evaluate(
    (calls) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        const answers = [];
        socket.onopen = () => socket.send(JSON.stringify({ type: "auth" }));
        socket.onmessage = ({ data }) => {
          const frame = JSON.parse(data);
          if (frame.type === "auth") calls.forEach(([method, params], id) => socket.send(JSON.stringify({ id, method, params })));
          else if (frame.error) reject(new Error(frame.error.message));
          else if (frame.id !== undefined && answers.push(frame.result) === calls.length) resolve(answers);
        };
      }),
    calls,
  );
}
