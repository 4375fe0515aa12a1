// Text that was typed and not saved, kept in this browser by file.
import type { Draft } from "../state/editing";

const PREFIX = "steward.memory.";

export function kept(path: string): Draft | undefined {
  try {
    const found = JSON.parse(localStorage.getItem(PREFIX + path) ?? "null") as Partial<Draft> | null;
    return typeof found?.text === "string" && typeof found.hash === "string" ? { text: found.text, hash: found.hash } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft, or forgets it; gives whether the browser had room for it. */
export function keep(path: string, draft?: Draft): boolean {
  try {
    if (draft) localStorage.setItem(PREFIX + path, JSON.stringify(draft));
    else localStorage.removeItem(PREFIX + path);
    return true;
  } catch {
    return false;
  }
}

export function keptPaths(): Set<string> {
  const paths = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  return new Set(paths.map((key) => key.slice(PREFIX.length)));
}
