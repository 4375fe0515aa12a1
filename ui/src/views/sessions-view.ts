// All conversations, with a search over titles and those that were put away.
import { css, html, LitElement } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import "../elements/list-states";
import type { SessionInfo } from "../gateway/frames";
import { type House, words } from "../house";
import { address } from "../router";
import type { Loadable } from "../state/state";
import { controls, viewPage } from "../style/shared";
import { ago } from "../ticking";
import { count, exact } from "../words";

@customElement("steward-sessions-view")
export class SessionsView extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private search = "";
  @state() private archived = false;
  @state() private found: Loadable<readonly SessionInfo[]> = { is: "loading" };

  static override styles = [
    controls,
    viewPage,
    css`
      .tools {
        display: flex;
        gap: 12px;
        align-items: center;
        margin-bottom: 16px;
      }
      .tools label {
        display: flex;
        gap: 6px;
        align-items: center;
        flex: none;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        display: flex;
        align-items: center;
        gap: 8px;
        border-bottom: 1px solid var(--line);
      }
      a {
        flex: 1;
        min-width: 0;
        padding: 10px 0;
        color: var(--text);
        text-decoration: none;
        border-radius: var(--radius-small);
      }
      a span {
        display: block;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      a:hover span:first-child {
        text-decoration: underline;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const { search, archived } = this;
    try {
      const { sessions } = await this.house.call("sessions.list", {
        limit: 500,
        search: search || undefined,
        archived,
      });
      // Typing is quicker than answers are.
      if (search === this.search && archived === this.archived) this.found = { is: "here", value: sessions };
    } catch (error) {
      this.found = { is: "failed", why: words(error) };
    }
  }

  private async putAway(session: SessionInfo): Promise<void> {
    await this.house.archive(session.sessionKey, !this.archived);
    await this.fetch();
  }

  override render() {
    const nothing = this.search
      ? "No title has these words."
      : this.archived
        ? "Nothing was put away. Archive a conversation and it waits here."
        : "No conversations yet. Say something and the first one is here.";
    return html`<div class="page">
      <header><h1>All conversations</h1></header>
      <div class="tools">
        <input
          type="search"
          aria-label="Search titles"
          placeholder="Search titles"
          .value=${this.search}
          @input=${(event: InputEvent) => {
            this.search = (event.target as HTMLInputElement).value;
            void this.fetch();
          }}
        />
        <label
          ><input
            type="checkbox"
            .checked=${this.archived}
            @change=${() => {
              this.archived = !this.archived;
              void this.fetch();
            }}
          />Archived</label
        >
      </div>
      <steward-list-states
        .list=${this.found}
        .nothing=${nothing}
        .action=${this.search || this.archived ? undefined : { label: "New conversation", href: address("chat") }}
        @retry=${() => this.fetch()}
      ></steward-list-states>
      ${this.found.is === "here"
        ? html`<ul>
            ${repeat(
              this.found.value,
              (session) => session.sessionKey,
              (session) => this.row(session),
            )}
          </ul>`
        : ""}
    </div>`;
  }

  private row(session: SessionInfo) {
    return html`<li>
      <a href=${address("chat", session.sessionKey)}>
        <span>${session.title || "Untitled"}</span>
        <span class="small faint" title=${exact(session.updatedAt)}
          >${ago(session.updatedAt)} · ${count(session.turns, "message")}</span
        >
      </a>
      <button class="small" @click=${() => this.putAway(session)}>${this.archived ? "Restore" : "Archive"}</button>
    </li>`;
  }
}
