// Markdown to HTML, piece by piece: what is finished is drawn once, only the last block is drawn again as it grows.
// The HTML is not yet safe; whoever puts it into a page cleans it first.
import { Marked, type Token, type Tokens } from "marked";
import { escapeHtml, highlight } from "./highlight";

const marked = new Marked({ gfm: true, breaks: true });
marked.use({
  renderer: {
    code({ text, lang }: Tokens.Code) {
      const language = (lang ?? "").split(/\s/)[0] ?? "";
      const bar = `<div class="bar"><span>${escapeHtml(language || "text")}</span><button type="button" data-copy>Copy</button></div>`;
      return `<div class="code">${bar}<pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>`;
    },
    // What looks like HTML is shown as it was written.
    html: ({ text }) => escapeHtml(text),
    link({ href, title, tokens }: Tokens.Link) {
      const label = this.parser.parseInline(tokens);
      if (!/^(https?:|mailto:)/i.test(href)) return label;
      const note = title ? ` title="${escapeHtml(title)}"` : "";
      return `<a href="${escapeHtml(href)}"${note} target="_blank" rel="noopener noreferrer">${label}</a>`;
    },
    // Fetching a picture would tell another host that the words were read; the reader may choose to.
    image({ href, text }: Tokens.Image) {
      const label = escapeHtml(text || href);
      return /^https?:/i.test(href)
        ? `<a href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer">picture: ${label}</a>`
        : label;
    },
  },
});

export interface Pieces {
  /** Blocks that will not change. */
  settled: string[];
  /** The block that may still grow. */
  open: string;
}

/** All of a text that is complete. */
export function whole(text: string): string[] {
  return draw(marked.lexer(text));
}

/** A text that grows at its end. */
export class Growing {
  private settledText = "";
  private settled: string[] = [];

  take(text: string): Pieces {
    if (!text.startsWith(this.settledText)) {
      this.settledText = "";
      this.settled = [];
    }
    const tokens = marked.lexer(text.slice(this.settledText.length));
    const last = tokens.findLastIndex((token) => token.type !== "space");
    const done = tokens.slice(0, Math.max(0, last));
    this.settledText += done.map((token) => token.raw).join("");
    // The lexer makes line ends alike; if its words are not those of the text, nothing is kept.
    if (!text.startsWith(this.settledText)) {
      this.settledText = "";
      this.settled = [];
      return { settled: [], open: draw(tokens).join("") };
    }
    this.settled.push(...draw(done));
    return { settled: this.settled, open: draw(marked.lexer(mended(text.slice(this.settledText.length)))).join("") };
  }
}

function draw(tokens: Token[]): string[] {
  return tokens.filter((token) => token.type !== "space").map((token) => marked.parser([token]));
}

/** Closes what was opened in the last line, so that a word does not change its look when its end comes. */
function mended(text: string): string {
  if (/^ {0,3}(`{3,}|~{3,})/.test(text)) return text;
  const start = text.lastIndexOf("\n") + 1;
  const line = text.slice(start);
  const odd = (mark: string) => line.split(mark).length % 2 === 0;
  if (odd("`")) return /`$/.test(text) ? text.slice(0, -1) : `${text}\``;
  if (!odd("**")) return text;
  const trimmed = text.replace(/\*+$/, "");
  return trimmed === text || !/\*\*$/.test(text) ? `${trimmed.trimEnd()}**` : trimmed;
}
