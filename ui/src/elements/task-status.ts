// How a task stands and of which kind it is: an icon and a word.
import { html, type TemplateResult } from "lit";
import type { TaskKind, TaskStatus } from "../gateway/orders";
import { type IconName, icons } from "../icons";

const SHOWN: Record<TaskStatus, readonly [words: string, icon: IconName, tone: string]> = {
  active: ["Stands ready", "clock", ""],
  queued: ["Queued", "clock", ""],
  running: ["Working", "right", ""],
  waiting: ["Waits for you", "wait", "warn"],
  completed: ["Done", "check", "good"],
  failed: ["Failed", "cross", "bad"],
  cancelled: ["Cancelled", "stop", ""],
};

/** A chip; the element it stands in takes `rooms` for its look. */
export function taskStatus(status: TaskStatus): TemplateResult {
  const [words, icon, tone] = SHOWN[status];
  return html`<span class="chip ${tone}">${icons[icon]} ${words}</span>`;
}

const KINDS: Record<TaskKind, readonly [words: string, icon: IconName]> = {
  one_shot: ["Once", "right"],
  recurring: ["Again and again", "repeat"],
  event: ["When something happens", "hook"],
};

export function taskKind(kind: TaskKind): TemplateResult {
  const [words, icon] = KINDS[kind];
  return html`<span class="chip">${icons[icon]} ${words}</span>`;
}
