// What was written and not sent, kept in this browser for each conversation.

const PREFIX = "steward.draft.";

/** Longer drafts are not kept: the browser's room is shared by all of them. */
const MAX_CHARS = 50_000;

export function kept(session: string | undefined): string {
  return localStorage.getItem(PREFIX + (session ?? "")) ?? "";
}

export function keep(session: string | undefined, text: string): void {
  if (!text) return drop(session);
  if (text.length > MAX_CHARS) return;
  try {
    localStorage.setItem(PREFIX + (session ?? ""), text);
  } catch {
    // The browser's room is full; the text is still in the field.
  }
}

export function drop(session: string | undefined): void {
  localStorage.removeItem(PREFIX + (session ?? ""));
}
