// A memory file that is being changed: what was typed, what it was made from, and what stands there by now.
import type { MemoryHit, MemoryText } from "../gateway/answers";
import type { Place } from "../router";

/** Kept in the browser until it is saved or thrown away. */
export interface Draft {
  readonly text: string;
  /** Of the text it was made from. */
  readonly hash: string;
}

export interface Editing {
  readonly path: string;
  readonly text: string;
  /** What stands in the file, as far as the page knows. */
  readonly saved: string;
  readonly hash: string;
  /** Another text that stands in the file by now; the owner has to choose. */
  readonly theirs?: MemoryText;
  /** Whether the text was kept from before. */
  readonly restored: boolean;
}

/** Begins with what stands in the file, or with what was typed before. */
export function begin(file: MemoryText, draft?: Draft): Editing {
  const { path, text, hash } = file;
  const plain: Editing = { path, text, saved: text, hash, restored: false };
  if (!draft || draft.text === text) return plain;
  if (draft.hash === hash) return { ...plain, text: draft.text, restored: true };
  return { ...plain, text: draft.text, hash: draft.hash, theirs: file, restored: true };
}

export function typed(editing: Editing, text: string): Editing {
  return { ...editing, text, restored: false };
}

/** What has to be kept in the browser; nothing when all of it is in the file. */
export function draftOf({ text, saved, hash, theirs }: Editing): Draft | undefined {
  return text === saved && !theirs ? undefined : { text, hash };
}

export function isChanged(editing: Editing): boolean {
  return draftOf(editing) !== undefined;
}

/** After saving: what was typed meanwhile is still to be saved. */
export function saved(editing: Editing, text: string, hash: string): Editing {
  return { ...editing, saved: text, hash, theirs: undefined, restored: false };
}

/** After a refusal: the file has another text by now. One that says the same is no conflict. */
export function conflicted(editing: Editing, theirs: MemoryText): Editing {
  return theirs.text === editing.text ? begin(theirs) : { ...editing, theirs };
}

/** The owner's text stays, and may now be written over the other. */
export function keepMine(editing: Editing): Editing {
  const { theirs } = editing;
  return theirs ? { ...editing, saved: theirs.text, hash: theirs.hash, theirs: undefined, restored: false } : editing;
}

export function takeTheirs(editing: Editing): Editing {
  return editing.theirs ? begin(editing.theirs) : editing;
}

/** `path#L3-7` is a file, and lines of it to look at. */
export interface MemoryPlace {
  readonly path: string;
  readonly lines?: readonly [number, number];
}

export function memoryPlace(argument: string): MemoryPlace {
  const found = /^(.+)#L(\d+)-(\d+)$/.exec(argument);
  return found?.[1] ? { path: found[1], lines: [Number(found[2]), Number(found[3])] } : { path: argument };
}

export function memoryArgument(path: string, from: number, to: number): string {
  return `${path}#L${from}-${to}`;
}

/** Where a hit can be read: a file of memory, or the conversation. Of folders the owner added, nowhere on this page. */
export function placeOfHit({ path, kind, lineStart, lineEnd }: MemoryHit): Place | undefined {
  if (kind === "extra") return undefined;
  const session = kind === "transcript" ? /^sessions\/(.+)\.jsonl$/.exec(path)?.[1] : undefined;
  return session ? { view: "chat", argument: session } : { view: "memory", argument: memoryArgument(path, lineStart, lineEnd) };
}

/** Where lines stand in a text, in characters. */
export function spanOf(text: string, [first, last]: readonly [number, number]): [number, number] {
  const lines = text.split("\n");
  const before = lines.slice(0, Math.max(0, first - 1)).reduce((sum, line) => sum + line.length + 1, 0);
  const inside = lines.slice(Math.max(0, first - 1), last).join("\n").length;
  return [Math.min(before, text.length), Math.min(before + inside, text.length)];
}

/** A text cut where words of a query stand in it: every second piece is one of them. */
export function pieces(text: string, query: string): string[] {
  const found = query.match(/[\p{L}\p{N}]{2,}/gu)?.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) ?? [];
  return found.length > 0 ? text.split(new RegExp(`(${found.join("|")})`, "giu")) : [text];
}
