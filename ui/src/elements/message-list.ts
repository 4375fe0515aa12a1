// A conversation that scrolls. It keeps to the end only if the reader is there; what is being read never moves. Fires
// `older` when the reader nears the beginning, and passes on what its items fire.
import { html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { icons } from "../icons";
import type { NoticeInfo } from "../gateway/orders";
import { type Passage, passages } from "../state/notices";
import type { Approval, Conversation, Live, Sent } from "../state/state";
import { takenBack } from "../state/turn";
import { conversation } from "../style/conversation";
import { controls } from "../style/shared";
import "./list-states";
import "./message-item";
import "./notice-line";
import "./said";

/** Nearer to the end than this counts as being there. */
const NEAR = 48;

@customElement("steward-message-list")
export class MessageList extends LitElement {
  @property({ attribute: false }) conversation!: Conversation;
  /** What the owner was told here outside of any turn. */
  @property({ attribute: false }) notices: readonly NoticeInfo[] = [];
  @property({ attribute: false }) live: Readonly<Record<string, Live>> = {};
  @property({ attribute: false }) approvals: Readonly<Record<string, Approval>> = {};
  @state() private away = false;
  @query(".scroller") private scroller!: HTMLElement;
  private atEnd = true;
  private lastTop = 0;
  private watching = new ResizeObserver(() => this.keep());
  /** How far the end was, before older turns were put in. */
  private fromEnd?: number;

  static override styles = [controls, conversation];

  override firstUpdated(): void {
    const content = this.renderRoot.querySelector(".content");
    if (content) this.watching.observe(content);
    this.watching.observe(this.scroller);
  }

  override disconnectedCallback(): void {
    this.watching.disconnect();
    super.disconnectedCallback();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get("conversation") as Conversation | undefined;
    if (!before) return;
    if (before.key !== this.conversation.key) {
      this.atEnd = true;
      this.away = false;
    } else if (
      before.turns.length > 0 &&
      before.turns[0] !== this.conversation.turns[0] &&
      before.turns[0]?.id !== this.conversation.turns[0]?.id
    ) {
      this.fromEnd = this.scroller.scrollHeight - this.scroller.scrollTop;
    }
  }

  /** Goes to the end, and stays there. */
  toEnd(): void {
    this.atEnd = true;
    this.away = false;
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  private keep(): void {
    const { scroller } = this;
    if (this.atEnd) scroller.scrollTop = scroller.scrollHeight;
    else if (this.fromEnd !== undefined) scroller.scrollTop = scroller.scrollHeight - this.fromEnd;
    this.fromEnd = undefined;
    this.away = !this.atEnd && this.gap > NEAR;
  }

  /** How much lies below what is seen. */
  private get gap(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  private scrolled(): void {
    const { scrollTop } = this.scroller;
    // Text that came makes the end farther without anybody having moved; only who goes up wants to leave it.
    if (this.gap < NEAR) this.atEnd = true;
    else if (scrollTop < this.lastTop) this.atEnd = false;
    this.lastTop = scrollTop;
    this.away = !this.atEnd && this.gap > NEAR;
    if (scrollTop < 400 && this.conversation.more && !this.conversation.loading && !this.conversation.failed)
      this.older();
  }

  private older(): void {
    this.dispatchEvent(new Event("older"));
  }

  override render() {
    const { conversation } = this;
    const { turns, outbox, more, loading, failed } = conversation;
    const empty = turns.length === 0 && outbox.length === 0 && this.notices.length === 0;
    return html`<div class="scroller" tabindex="-1" @scroll=${this.scrolled} @unfold=${() => (this.atEnd = false)}>
        <div class="content" role="log" aria-label="Conversation" aria-live="off">
          ${empty && loading ? html`<steward-list-states></steward-list-states>` : nothing}
          ${failed
            ? html`<steward-list-states
                .list=${{ is: "failed", why: failed }}
                @retry=${this.older}
              ></steward-list-states>`
            : nothing}
          ${more && !failed
            ? html`<div class="older">
                <button class="small" ?disabled=${loading} @click=${this.older}>
                  ${loading ? "Fetching earlier messages…" : "Earlier messages"}
                </button>
              </div>`
            : nothing}
          ${repeat(
            passages(turns.filter((turn) => !takenBack(turn)), this.notices, more),
            (passage) => ("turn" in passage ? passage.turn.id : passage.notice.seq),
            (passage) => this.passage(passage),
          )}
          ${repeat(
            outbox,
            (sent) => sent.id,
            (sent) => this.sent(sent),
          )}
        </div>
      </div>
      ${this.away ? html`<button class="pill" @click=${this.toEnd}>${icons.down} Jump to latest</button>` : nothing}`;
  }

  private passage(passage: Passage) {
    if ("notice" in passage) return html`<steward-notice-line .told=${passage.notice} inside></steward-notice-line>`;
    const { turn } = passage;
    return html`<steward-message-item
      .turn=${turn}
      .live=${this.live[turn.id]}
      .approvals=${this.approvals}
    ></steward-message-item>`;
  }

  private sent(sent: Sent) {
    const pass = (event: CustomEvent<{ edit?: boolean } | null>) => {
      event.stopPropagation();
      const detail = { sent, ...event.detail };
      this.dispatchEvent(new CustomEvent(event.type, { detail }));
    };
    // A message that will begin at once is not "queued": it is heard.
    const alone =
      sent.is === "queued" &&
      this.conversation.turns.every((turn) => turn.outcome) &&
      this.conversation.outbox[0] === sent;
    return html`<steward-said
      .text=${sent.text}
      .at=${sent.at}
      .is=${alone ? "sending" : sent.is}
      .why=${sent.why ?? ""}
      @again=${pass}
      @take-back=${pass}
    ></steward-said>`;
  }
}
