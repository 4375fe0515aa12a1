// What the owner was told outside of any turn: whose word it is, when, and what. In a conversation and in the list of all.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { NoticeInfo } from "../gateway/orders";
import { icons } from "../icons";
import { address } from "../router";
import { speaker } from "../state/notices";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { exact } from "../words";
import "./markdown";

@customElement("steward-notice-line")
export class NoticeLine extends LitElement {
  @property({ attribute: false }) told!: NoticeInfo;
  /** Whether it stands in the conversation it was told in. */
  @property({ type: Boolean }) inside = false;
  @property({ type: Boolean }) fresh = false;

  static override styles = [
    controls,
    rooms,
    css`
      :host {
        display: block;
      }
      article {
        padding: 10px 14px;
        border-radius: var(--radius);
        border: 1px solid var(--line);
        border-left: 3px solid var(--accent);
        background: var(--sunken);
        overflow-wrap: anywhere;
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 8px;
        font-size: 14px;
      }
      header svg {
        width: 16px;
        height: 16px;
        color: var(--accent);
      }
      b {
        font-weight: 600;
      }
      .new {
        color: var(--accent);
        font-weight: 600;
      }
      .links {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 16px;
        margin-top: 4px;
      }
    `,
  ];

  override render() {
    const { at, sessionKey, notice } = this.told;
    const { from, text, session, approval, untrusted } = notice;
    const { kind, name, task } = speaker(from);
    return html`<article aria-label=${`Notice: ${name ? `${kind} ${name}` : kind}`}>
      <header>
        ${icons.bell}<span>${name ? html`<span class="soft">${kind}</span> <b>${name}</b>` : html`<b>${kind}</b>`}</span>
        <time class="small faint" datetime=${at} title=${exact(at)}>${ago(at)}</time>
        ${this.fresh ? html`<span class="small new">new</span>` : nothing}
        ${untrusted ? html`<span class="chip warn">${icons.warn} May repeat what strangers wrote</span>` : nothing}
      </header>
      <steward-markdown .text=${text}></steward-markdown>
      ${approval || session || !this.inside
        ? html`<div class="links small">
            ${approval ? html`<a href=${address("waiting")}>Decide about it</a>` : nothing}
            ${task
              ? html`<a href=${address("tasks", task)}>See the task</a>`
              : session
                ? html`<a href=${address("chat", session)}>See how it came about</a>`
                : nothing}
            ${this.inside ? nothing : html`<a href=${address("chat", sessionKey)}>Open the conversation</a>`}
          </div>`
        : nothing}
    </article>`;
  }
}
