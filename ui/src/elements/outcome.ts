// What came of a run, and what becomes of times that were missed: an icon and a word, or a few words.
import { html, type TemplateResult } from "lit";
import type { Missed } from "../gateway/orders";
import { type IconName, icons } from "../icons";

const OUTCOMES: Record<string, readonly [words: string, icon: IconName, tone: string]> = {
  running: ["Under way", "right", ""],
  completed: ["Done", "check", "good"],
  failed: ["Failed", "cross", "bad"],
  aborted: ["Stopped", "stop", ""],
  limit: ["Reached a limit", "warn", "warn"],
  limit_reached: ["Reached a limit", "warn", "warn"],
  skipped: ["Skipped", "more", ""],
};

/** A state with its word; the element it stands in takes `rooms` for its look. */
export function outcome(of: string | null): TemplateResult {
  const [words, icon, tone] = OUTCOMES[of ?? "running"] ?? [of, "more", ""];
  return html`<span class="state small ${tone}">${icons[icon]} ${words}</span>`;
}

/** What becomes of times that passed while Steward was off. */
export const MISSED: Record<Missed, string> = {
  once: "catch up once",
  skip: "skip",
  all: "catch up on all",
};

/** Where the owner is told what came of it. */
export function delivered(to: string): string {
  if (to === "last") return "where you last spoke";
  return to === "none" ? "nowhere" : to;
}
