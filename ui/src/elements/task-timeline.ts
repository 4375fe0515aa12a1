// What a task did, in order: said, called, asked, ended. New lines are read out.
import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { type IconName, icons } from "../icons";
import { type Line, NOTHING_TOLD, type Stage, type Timeline } from "../state/timeline";
import { controls } from "../style/shared";
import { rooms } from "../style/rooms";
import { ago } from "../ticking";
import { count, exact } from "../words";
import "./markdown";

const STAGES: Record<Stage, readonly [words: string, icon: IconName, tone: string]> = {
  asked: ["waits for you", "wait", "warn"],
  approved: ["approved, runs", "right", ""],
  denied: ["denied", "cross", "bad"],
  succeeded: ["done", "check", "good"],
  failed: ["failed", "cross", "bad"],
};

@customElement("steward-task-timeline")
export class TaskTimeline extends LitElement {
  @property({ attribute: false }) timeline: Timeline = NOTHING_TOLD;
  /** Whether events come; if not, the line at the end says so. */
  @property({ type: Boolean }) reached = true;

  static override styles = [
    controls,
    rooms,
    css`
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        position: relative;
        display: grid;
        grid-template-columns: 24px minmax(0, 1fr) auto;
        gap: 8px;
        padding: 6px 0;
      }
      /* The thread on which the marks are strung. */
      li:not(:last-child)::before {
        content: "";
        position: absolute;
        left: 11px;
        top: 26px;
        bottom: -8px;
        width: 1px;
        background: var(--line);
      }
      .mark {
        display: grid;
        place-items: center;
        height: 24px;
        color: var(--text-faint);
      }
      .mark svg {
        width: 16px;
        height: 16px;
      }
      .mark.good {
        color: var(--good);
      }
      .mark.warn {
        color: var(--warn);
      }
      .mark.bad {
        color: var(--bad);
      }
      .body {
        min-width: 0;
        overflow-wrap: anywhere;
      }
      time {
        white-space: nowrap;
      }
    `,
  ];

  override render() {
    const { lines, thinking } = this.timeline;
    const over = lines.at(-1)?.kind === "ended";
    return html`<div role="log" aria-label="What happened" aria-live="polite"><ol>
      ${repeat(
        lines,
        (line) => line.key,
        (line) => this.line(line),
      )}
      ${!over && !this.reached ? row("clock", "", html`<span class="soft">Reconnecting… nothing is lost.</span>`) : nothing}
      ${!over && this.reached && thinking ? row("more", "", html`<span class="soft">Thinking…</span>`) : nothing}
    </ol></div>`;
  }

  private line(line: Line): TemplateResult {
    switch (line.kind) {
      case "began":
        return row("right", "", html`<span class="soft">Began</span>`, line.at);
      case "said":
        return row("chat", "", html`<steward-markdown .text=${line.text}></steward-markdown>`, line.at);
      case "paused":
        if (line.error === undefined) return row("clock", "", html`<span class="soft">This run is over</span>`, line.at);
        if (line.error === "cancelled") return row("stop", "", html`<span class="soft">This run was stopped</span>`, line.at);
        return row("cross", "bad", html`This run failed: ${line.error}`, line.at);
      case "ended":
        if (line.error === undefined) return row("check", "good", html`Done${because(line.reason)}`, line.at);
        if (line.error === "cancelled") return row("stop", "", html`Cancelled${because(line.reason)}`, line.at);
        return row("cross", "bad", html`Failed: ${line.error}`, line.at);
      case "call":
        return call(line);
      case "wrote":
        return row("edit", "", unfolds(html`The assistant wrote a program`, line.code), line.at);
      case "asks":
        return row("wait", "", html`The program asked for ${count(line.many, "call")}`, line.at);
      case "ran":
        return ran(line);
    }
  }
}

function because(reason?: string) {
  return reason ? html`<span class="soft">: ${reason}</span>` : nothing;
}

function call(line: Line & { kind: "call" }): TemplateResult {
  const [words, icon, tone] = STAGES[line.stage];
  const title = html`${line.title ?? html`<code>${line.tool}</code>`} <span class="small soft">· ${words}</span>`;
  return row(icon, tone, unfolds(title, line.details, line.output), line.at);
}

function ran(line: Line & { kind: "ran" }): TemplateResult {
  if (line.is === "unrun") return row("cross", "", unfolds(html`The program did not run`, line.output), line.at);
  const calls = html`<span class="small soft">· ${count(line.calls, "call")}${line.denied > 0 ? ` · ${line.denied} denied` : ""}</span>`;
  const words = line.is === "failed" ? "The program failed" : "The program ended";
  const [icon, tone] = line.is === "failed" ? (["cross", "bad"] as const) : (["check", "good"] as const);
  return row(icon, tone, unfolds(html`${words} ${calls}`, line.output), line.at);
}

/** A title with what stands behind it, if anything does. */
function unfolds(title: TemplateResult, ...texts: (string | undefined)[]): TemplateResult {
  const inside = texts.filter(Boolean);
  if (inside.length === 0) return title;
  return html`<details>
    <summary>${title}</summary>
    ${inside.map((text) => html`<pre>${text}</pre>`)}
  </details>`;
}

function row(icon: IconName, tone: string, body: TemplateResult, at?: string): TemplateResult {
  return html`<li>
    <span class="mark ${tone}">${icons[icon]}</span>
    <div class="body">${body}</div>
    ${at ? html`<time class="small faint" datetime=${at} title=${exact(at)}>${ago(at)}</time>` : nothing}
  </li>`;
}
