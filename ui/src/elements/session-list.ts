// The conversations of the rail, by day. Fires `rename` {key, title} and `archive` {key}.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { SessionInfo } from "../gateway/frames";
import { icons } from "../icons";
import { isTyping } from "../keys";
import { address } from "../router";
import type { Loadable } from "../state/state";
import { sessions } from "../style/sessions";
import { controls } from "../style/shared";
import { dayOf, exact } from "../words";
import "./list-states";

@customElement("steward-session-list")
export class SessionList extends LitElement {
  @property({ attribute: false }) sessions: Loadable<readonly SessionInfo[]> = { is: "loading" };
  @property() current?: string;
  /** Sessions with a turn under way. */
  @property({ attribute: false }) running: Readonly<Record<string, string>> = {};
  /** Sessions with something that waits for the owner. */
  @property({ attribute: false }) asking: ReadonlySet<string> = new Set();
  @state() private menu?: string;
  @state() private renaming?: string;

  static override styles = [controls, sessions];

  private fire(name: string, detail: unknown): void {
    this.menu = undefined;
    this.renaming = undefined;
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  override updated(changed: Map<string, unknown>): void {
    if (changed.has("renaming") && this.renaming) this.renderRoot.querySelector("input")?.select();
    if (changed.has("menu") && this.menu) this.renderRoot.querySelector<HTMLElement>(".menu button")?.focus();
  }

  /** J and K go from one conversation to the next. */
  private press(event: KeyboardEvent): void {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || isTyping(event) || event.metaKey || event.ctrlKey) return;
    const links = [...this.renderRoot.querySelectorAll("a")];
    const at = links.indexOf(this.shadowRoot?.activeElement as HTMLAnchorElement);
    links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
    event.stopPropagation();
  }

  private leave(event: FocusEvent): void {
    const inside = event.relatedTarget instanceof Node && (event.currentTarget as Node).contains(event.relatedTarget);
    if (!inside) this.menu = undefined;
  }

  override render() {
    const list = html`<steward-list-states
      .list=${this.sessions}
      nothing="Your conversations will stand here."
    ></steward-list-states>`;
    if (this.sessions.is !== "here") return list;
    const days = byDay(this.sessions.value);
    return html`${list}
    ${[...days].map(
      ([day, sessions]) =>
        html`<h3>${day}</h3>
          <ul @keydown=${this.press}>
            ${repeat(
              sessions,
              (session) => session.sessionKey,
              (session) => this.row(session),
            )}
          </ul>`,
    )}`;
  }

  private row(session: SessionInfo) {
    const key = session.sessionKey;
    const title = session.title || "Untitled";
    if (this.renaming === key) {
      const done = (event: Event) => {
        const value = (event.target as HTMLInputElement).value.trim();
        if (this.renaming !== key) return;
        if (value && value !== session.title) this.fire("rename", { key, title: value });
        else this.renaming = undefined;
      };
      const press = (event: KeyboardEvent) => {
        event.stopPropagation();
        if (event.key === "Enter") done(event);
        if (event.key === "Escape") this.renaming = undefined;
      };
      return html`<li><input type="text" aria-label="Title" .value=${title} @keydown=${press} @blur=${done} /></li>`;
    }
    const mark = this.asking.has(key)
      ? html`${icons.wait}<span class="unseen">waits for you</span>`
      : this.running[key]
        ? html`<i class="dot"></i><span class="unseen">works</span>`
        : nothing;
    const open = this.menu === key;
    return html`<li ?data-current=${key === this.current} @focusout=${this.leave}>
      <a
        href=${address("chat", key)}
        title=${`${title}\n${exact(session.updatedAt)}`}
        aria-current=${key === this.current ? "page" : nothing}
        @keydown=${(event: KeyboardEvent) => event.key === "F2" && (this.renaming = key)}
        ><span>${title}</span>${mark}</a
      >
      <button
        class="bare icon"
        aria-label=${`More for ${title}`}
        aria-expanded=${open}
        @click=${() => (this.menu = open ? undefined : key)}
      >
        ${icons.more}
      </button>
      ${open
        ? html`<div
            class="menu"
            @keydown=${(event: KeyboardEvent) => event.key === "Escape" && (this.menu = undefined)}
          >
            <button class="bare small" @click=${() => ((this.menu = undefined), (this.renaming = key))}>
              ${icons.edit} Rename
            </button>
            <button class="bare small" @click=${() => this.fire("archive", { key })}>${icons.archive} Archive</button>
          </div>`
        : nothing}
    </li>`;
  }
}

function byDay(sessions: readonly SessionInfo[]): Map<string, SessionInfo[]> {
  const days = new Map<string, SessionInfo[]>();
  for (const session of sessions) {
    const day = dayOf(session.updatedAt);
    days.set(day, [...(days.get(day) ?? []), session]);
  }
  return days;
}
