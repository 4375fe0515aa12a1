// Whether a key is meant for a field, for what lies above the page, or for the page; and the keys that go along a list.

export function isAbove(event: Event): boolean {
  return event.composedPath().some((node) => node instanceof HTMLDialogElement);
}

export function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** J and K: moves the focus to the next or the last of these. */
export function stepAlong(event: KeyboardEvent, items: readonly HTMLElement[], focused?: Element | EventTarget | null): void {
  const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
  if (step === 0 || isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
  const at = items.findIndex((item) => item === focused);
  items[Math.min(items.length - 1, Math.max(0, at + step))]?.focus();
}
