// How times, durations and sizes are said.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, or how soon; the exact time belongs in the `title`. */
export function relative(iso: string, now = Date.now()): string {
  const past = now - Date.parse(iso);
  if (Number.isNaN(past)) return "";
  const span = Math.abs(past);
  const put = (count: number, unit: string) => (past < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`);
  if (span < MINUTE) return past < 0 ? "in a moment" : "just now";
  if (span < HOUR) return put(Math.round(span / MINUTE), "min");
  if (span < DAY) return put(Math.round(span / HOUR), "h");
  if (span < 7 * DAY) return put(Math.round(span / DAY), span < 1.5 * DAY ? "day" : "days");
  return new Date(iso).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

export function exact(iso: string): string {
  return iso ? new Date(iso).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" }) : "";
}

/** A time as a clock and a calendar have it, as short as it can be said: beside what `relative` says. */
export function clock(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const year = at.getFullYear() === now.getFullYear() ? undefined : "numeric";
  const day = at.toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short", year });
  return `${day}, ${at.toLocaleTimeString(undefined, { timeStyle: "short" })}`;
}

/** The heading a day's sessions stand under. */
export function dayOf(iso: string, now = new Date()): string {
  const start = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((start(now) - start(new Date(iso))) / DAY);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return "This week";
  if (days < 31) return "This month";
  return new Date(iso).toLocaleDateString(undefined, { month: "long", year: "numeric" });
}

export function duration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1000)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.round((ms % HOUR) / MINUTE)} min`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** Markdown where there is no room for it: the words without their marks. */
export function plain(markdown: string): string {
  const words = markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(#{1,6}|>|[-*+])\s+/gm, "")
    .replace(/(\*\*|__|`+|~~)/g, "");
  return words.replace(/\s+/g, " ").trim();
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Words as they begin a sentence. */
export function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Words as they stand within one. */
export function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
