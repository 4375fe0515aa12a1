// How a task stands: an icon and a word.
import { html, type TemplateResult } from "lit";
import type { TaskStatus } from "../gateway/tasks";
import { type IconName, icons } from "../icons";

const SHOWN: Record<TaskStatus, readonly [words: string, icon: IconName, tone: string]> = {
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
