// Colours for code: comments, strings, numbers, words of the language and names that are called. It knows families of
// languages rather than languages; what it does not know stays plain.

interface Family {
  comment: string;
  words: string;
}

const C_WORDS =
  "abstract as async await bool boolean break case catch char class const constexpr continue crate default defer delete do double dyn else enum export extends extern false final finally float fn for from func function go goto if impl implements import in instanceof int interface is let long loop match mod module move mut namespace new nil null nullptr of override package private protected pub public readonly ref return self short static string struct super switch template this throw throws trait true try type typeof undefined union unsafe unsigned use using var virtual void volatile when where while with yield chan map range select fallthrough val fun object companion guard protocol extension Self None Some Ok Err";
const HASH_WORDS =
  "and as assert async await begin break case class continue def del do done elif else end ensure esac except exit export False fi finally for from function global if import in is lambda local module next nil None nonlocal not or pass print raise require rescue return self set source then True try unless until when while with yield true false null echo cd sudo";
const SQL_WORDS =
  "add all alter and as asc between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert integer into is join key left like limit not null offset on or order outer primary references right rollback select set table text then transaction trigger union unique update values view when where with";

const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;
const HASH = String.raw`(?<![\w$&])#[^\n]*`;
const DASHES = String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;
const MARKUP = String.raw`<!--[\s\S]*?(?:-->|$)`;

const FAMILIES: readonly [RegExp, Family][] = [
  [
    /^(js|jsx|javascript|ts|tsx|typescript|mjs|rust|rs|go|golang|java|c|h|cc|cpp|c\+\+|cs|csharp|swift|kotlin|kt|scala|php|dart|zig|json|jsonc|json5|css|scss|less)$/,
    { comment: SLASHES, words: C_WORDS },
  ],
  [
    /^(py|python|rb|ruby|sh|bash|zsh|shell|console|fish|yaml|yml|toml|ini|make|makefile|dockerfile|perl|pl|r|elixir|nix|nginx|conf)$/,
    { comment: HASH, words: HASH_WORDS },
  ],
  [/^(sql|postgres|postgresql|mysql|sqlite|lua|haskell|hs)$/, { comment: DASHES, words: SQL_WORDS }],
  [/^(html|xml|svg|vue)$/, { comment: MARKUP, words: "" }],
];

/** Longer code stays plain: colours are worth no wait. */
const MAX_CHARS = 50_000;

const escape = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

export { escape as escapeHtml };

/** The code as HTML, with its parts in spans. */
export function highlight(code: string, language: string): string {
  const name = language.toLowerCase();
  if (name === "diff" || name === "patch") return diff(code);
  const family = FAMILIES.find(([names]) => names.test(name))?.[1];
  if (!family || code.length > MAX_CHARS) return escape(code);
  const words = new Set((name === "sql" ? family.words.toUpperCase() + " " : "").concat(family.words).split(" "));
  const quotes = String.raw`"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'|${"`"}(?:\\.|[^${"`"}\\])*${"`"}?`;
  const parts = new RegExp(`(${family.comment})|(${quotes})|(\\b\\d[\\w.]*)|([A-Za-z_$][\\w$]*)(?=(\\s*\\()?)`, "g");
  let out = "";
  let last = 0;
  for (const part of code.matchAll(parts)) {
    out += escape(code.slice(last, part.index));
    last = part.index + part[0].length;
    const kind = part[1]
      ? "comment"
      : part[2]
        ? "string"
        : part[3]
          ? "number"
          : words.has(part[4] ?? "")
            ? "word"
            : part[5]
              ? "name"
              : "";
    out += kind ? `<span class="${kind}">${escape(part[0])}</span>` : escape(part[0]);
  }
  return out + escape(code.slice(last));
}

/** The same line by line: what goes over several lines is closed and opened again at each end. */
export function highlightLines(code: string, language: string): string[] {
  let open = "";
  return highlight(code, language)
    .split("\n")
    .map((line) => {
      const whole = open + line;
      const at = whole.lastIndexOf("<span");
      open = at > whole.lastIndexOf("</span>") ? whole.slice(at, whole.indexOf(">", at) + 1) : "";
      return open ? `${whole}</span>` : whole;
    });
}

function diff(code: string): string {
  const kind = (line: string) =>
    line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "comment" : "";
  const mark = (line: string) => (kind(line) ? `<span class="${kind(line)}">${escape(line)}</span>` : escape(line));
  return code.split("\n").map(mark).join("\n");
}
