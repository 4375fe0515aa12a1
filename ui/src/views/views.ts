// The table of views: one line for each place the page can be. The rail, the palette and the router all read it.
import { html, type TemplateResult } from "lit";
import type { House } from "../house";
import type { IconName } from "../icons";

export interface View {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** Whether the rail has a line for it. */
  readonly rail: boolean;
  load(): Promise<unknown>;
  draw(house: House, argument?: string): TemplateResult;
}

export const views: readonly View[] = [
  {
    name: "chat",
    title: "Conversation",
    icon: "chat",
    rail: false,
    load: () => import("./chat-view"),
    draw: (house, session) => html`<steward-chat-view .house=${house} .session=${session}></steward-chat-view>`,
  },
  {
    name: "waiting",
    title: "Waiting for you",
    icon: "wait",
    rail: false,
    load: () => import("./waiting-view"),
    draw: (house) => html`<steward-waiting-view .house=${house}></steward-waiting-view>`,
  },
  {
    name: "notices",
    title: "Notices",
    icon: "bell",
    rail: true,
    load: () => import("./notices-view"),
    draw: (house) => html`<steward-notices-view .house=${house}></steward-notices-view>`,
  },
  {
    name: "sessions",
    title: "All conversations",
    icon: "archive",
    rail: true,
    load: () => import("./sessions-view"),
    draw: (house) => html`<steward-sessions-view .house=${house}></steward-sessions-view>`,
  },
  {
    name: "tasks",
    title: "Tasks",
    icon: "tasks",
    rail: true,
    load: () => import("./tasks-view"),
    draw: (house, task) => html`<steward-tasks-view .house=${house} .task=${task}></steward-tasks-view>`,
  },
  {
    name: "schedules",
    title: "Schedules",
    icon: "clock",
    rail: true,
    load: () => import("./schedules-view"),
    draw: (house, job) => html`<steward-schedules-view .house=${house} .job=${job}></steward-schedules-view>`,
  },
  {
    name: "memory",
    title: "Memory",
    icon: "memory",
    rail: true,
    load: () => import("./memory-view"),
    draw: (house, file) => html`<steward-memory-view .house=${house} .file=${file}></steward-memory-view>`,
  },
  {
    name: "tools",
    title: "Tools and rules",
    icon: "tools",
    rail: true,
    load: () => import("./tools-view"),
    draw: (house) => html`<steward-tools-view .house=${house}></steward-tools-view>`,
  },
  {
    name: "audit",
    title: "Audit",
    icon: "audit",
    rail: true,
    load: () => import("./audit-view"),
    draw: (house) => html`<steward-audit-view .house=${house}></steward-audit-view>`,
  },
  {
    name: "usage",
    title: "Usage",
    icon: "usage",
    rail: true,
    load: () => import("./usage-view"),
    draw: (house) => html`<steward-usage-view .house=${house}></steward-usage-view>`,
  },
  {
    name: "settings",
    title: "Settings",
    icon: "settings",
    rail: true,
    load: () => import("./settings-view"),
    draw: (house) => html`<steward-settings-view .house=${house}></steward-settings-view>`,
  },
  {
    name: "setup",
    title: "Set up a model",
    icon: "key",
    rail: false,
    load: () => import("./setup-view"),
    draw: (house) => html`<steward-setup-view .house=${house}></steward-setup-view>`,
  },
];

export function viewNamed(name: string): View | undefined {
  return views.find((view) => view.name === name);
}
