// The left side: a new conversation, search, what waits, the conversations, and the other places. Fires `search`, `fold`,
// and passes on what the session list fires.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { SessionInfo } from "../gateway/frames";
import { type IconName, icons } from "../icons";
import { address, type Place } from "../router";
import type { Loadable } from "../state/state";
import { controls } from "../style/shared";
import "./session-list";

export interface RailLink {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
}

@customElement("steward-rail")
export class Rail extends LitElement {
  @property({ attribute: false }) sessions: Loadable<readonly SessionInfo[]> = { is: "loading" };
  @property({ attribute: false }) place: Place = { view: "chat" };
  @property({ attribute: false }) running: Readonly<Record<string, string>> = {};
  @property({ attribute: false }) asking: ReadonlySet<string> = new Set();
  @property({ type: Number }) waiting = 0;
  /** How many notices nobody has read. */
  @property({ type: Number }) unread = 0;
  @property({ attribute: false }) links: readonly RailLink[] = [];

  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        background: var(--rail-ground);
      }
      .top {
        padding: 12px 12px 8px;
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 4px;
      }
      .top > .line {
        justify-content: flex-start;
      }
      .top > .line:not(.new) {
        grid-column: 1 / -1;
      }
      @media (max-width: 760px) {
        .top > .new {
          grid-column: 1 / -1;
        }
        .top > .fold {
          display: none;
        }
      }
      a.line,
      button.line {
        display: flex;
        align-items: center;
        gap: 10px;
        width: 100%;
        min-height: 34px;
        padding: 4px 8px;
        border: 0;
        border-radius: var(--radius-small);
        background: none;
        color: var(--text);
        text-decoration: none;
        font-size: 14px;
        text-align: left;
      }
      .line:hover {
        background: var(--hover);
      }
      .line[aria-current] {
        background: var(--chosen);
      }
      .line svg {
        color: var(--text-soft);
      }
      .line span {
        flex: 1;
      }
      a.waiting {
        background: var(--warn-ground);
        color: var(--warn);
        font-weight: 600;
        border: 1px solid var(--warn-line);
      }
      a.waiting svg {
        color: inherit;
      }
      .count {
        flex: none;
        min-width: 20px;
        padding: 0 6px;
        border-radius: 10px;
        background: var(--warn);
        color: var(--ground);
        font-size: 12px;
        line-height: 20px;
        text-align: center;
      }
      .count.unread {
        background: var(--accent);
        color: var(--on-accent);
      }
      @media (pointer: coarse) {
        kbd {
          display: none;
        }
      }
      steward-session-list {
        flex: 1;
        overflow-y: auto;
        padding: 0 12px 12px;
        scrollbar-width: thin;
      }
      @media (pointer: fine) {
        nav.places > .line {
          min-height: 30px;
          padding-block: 2px;
        }
      }
      nav.places {
        padding: 8px 12px calc(8px + env(safe-area-inset-bottom));
        border-top: 1px solid var(--line);
      }
    `,
  ];

  override render() {
    const { place } = this;
    const current = (name: string) => (place.view === name ? "page" : nothing);
    return html`<div class="top">
        <a
          class="line new"
          href=${address("chat")}
          aria-current=${place.view === "chat" && !place.argument ? "page" : nothing}
        >
          ${icons.add}<span>New conversation</span>
        </a>
        <button
          class="bare icon fold"
          aria-label="Hide the side bar"
          title="Hide the side bar"
          @click=${() => this.dispatchEvent(new Event("fold"))}
        >
          ${icons.side}
        </button>
        <button class="line" @click=${() => this.dispatchEvent(new Event("search"))}>
          ${icons.search}<span>Search</span><kbd>${/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        ${this.waiting > 0
          ? html`<a class="line waiting" href=${address("waiting")} aria-current=${current("waiting")}>
              ${icons.wait}<span>Waiting for you</span><b class="count">${this.waiting}</b>
            </a>`
          : nothing}
      </div>
      <steward-session-list
        role="navigation"
        aria-label="Conversations"
        .sessions=${this.sessions}
        .current=${place.view === "chat" ? place.argument : undefined}
        .running=${this.running}
        .asking=${this.asking}
      ></steward-session-list>
      <nav class="places" aria-label="Places">
        ${this.links.map(
          (link) =>
            html`<a class="line" href=${address(link.name)} aria-current=${current(link.name)}
              >${icons[link.icon]}<span>${link.title}</span>${link.name === "notices" && this.unread > 0
                ? html`<b class="count unread" aria-label=${`${this.unread} unread`}>${this.unread > 99 ? "99+" : this.unread}</b>`
                : nothing}</a
            >`,
        )}
      </nav>`;
  }
}
