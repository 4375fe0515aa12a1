// What policy says, as an icon and a word.
import { html, type TemplateResult } from "lit";
import type { Verdict } from "../gateway/answers";
import { type IconName, icons } from "../icons";

const SHOWN: Record<Verdict, readonly [words: string, icon: IconName, tone: string]> = {
  allow: ["Runs", "check", "good"],
  ask: ["Asks", "help", ""],
  deny: ["Never runs", "cross", "bad"],
};

/** A chip; the element it stands in takes `rooms` for its look. */
export function verdict(verdict: Verdict): TemplateResult {
  const [words, icon, tone] = SHOWN[verdict];
  return html`<span class="chip ${tone}">${icons[icon]} ${words}</span>`;
}
