import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight, highlightLines } from "./highlight";
import { Growing, whole } from "./render";

const SAMPLE = `# A title

Some **bold** words and \`code\`, a [link](https://example.org).

- one
- two
  - deeper

\`\`\`rust
fn main() { println!("<hi>"); } // done
\`\`\`

| a | b |
|---|--:|
| 1 | 2 |

> quoted

The end.`;

test("a text that grew letter by letter ends as the whole one", () => {
  const growing = new Growing();
  let last = { settled: [] as string[], open: "" };
  const letters = [...SAMPLE];
  let settled: string[] = [];
  letters.forEach((_, index) => {
    last = growing.take(letters.slice(0, index + 1).join(""));
    assert.deepEqual(last.settled.slice(0, settled.length), settled, "what is settled stays");
    settled = [...last.settled];
  });
  assert.deepEqual([...last.settled, last.open], whole(SAMPLE));
});

test("an unfinished fence is code at once", () => {
  const check = (text: string, expected: RegExp) => assert.match(new Growing().take(text).open, expected, text);
  check("```py\nprint(1", /<pre[^>]*><code>.*print/);
  check("```", /<pre/);
  check("a **bold", /<strong>bold<\/strong>/);
  check("a `cod", /<code>cod<\/code>/);
});

test("nothing of a text becomes markup of its own", () => {
  const check = (text: string, never: RegExp) => assert.doesNotMatch(whole(text).join(""), never, text);
  check("<script>alert(1)</script>", /<script/);
  check("a <img src=x onerror=alert(1)> b", /<img/);
  check("[x](javascript:alert(1))", /href/);
  check("![x](https://example.org/a.png)", /<img/);
  check('```"><script>\n<b>\n```', /<script|<b>/);
});

test("code is coloured and stays what it was", () => {
  const check = (code: string, language: string, expected: string) => assert.equal(highlight(code, language), expected);
  check(
    "let a = 1; // x",
    "ts",
    '<span class="word">let</span> a = <span class="number">1</span>; <span class="comment">// x</span>',
  );
  check("a < b", "unknown", "a &lt; b");
  check("+new\n-old", "diff", '<span class="added">+new</span>\n<span class="removed">-old</span>');
  const plain = (html: string) =>
    html
      .replace(/<[^>]+>/g, "")
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, "&");
  for (const language of ["rust", "py", "sql", "html", "json", "sh"]) {
    assert.equal(plain(highlight(SAMPLE, language)), SAMPLE, language);
    assert.equal(highlightLines(SAMPLE, language).map(plain).join("\n"), SAMPLE, language);
  }
});

test("colours that go over several lines begin and end in each", () => {
  const check = (code: string, expected: string[]) => assert.deepEqual(highlightLines(code, "ts"), expected);
  const comment = (text: string) => `<span class="comment">${text}</span>`;
  check("/* a\n\nb */ c", [comment("/* a"), comment(""), `${comment("b */")} c`]);
  check("// a\nb", [comment("// a"), "b"]);
  check("/* <span\n</span><b> */", [comment("/* &lt;span"), comment("&lt;/span&gt;&lt;b&gt; */")]);
});
