// Requests one below the other; the arrow keys go from one to the next.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { SessionInfo } from "../gateway/frames";
import { address } from "../router";
import type { Approval, Loadable } from "../state/state";
import { controls } from "../style/shared";
import "./approval-card";
import type { ApprovalCard } from "./approval-card";

@customElement("steward-approval-list")
export class ApprovalList extends LitElement {
  @property({ attribute: false }) approvals: readonly Approval[] = [];
  @property({ attribute: false }) sessions: Loadable<readonly SessionInfo[]> = { is: "loading" };

  private greeted = false;

  static override styles = [
    controls,
    css`
      :host {
        display: block;
      }
      .entry {
        margin-bottom: 20px;
      }
      .entry > a {
        display: inline-block;
        padding: 4px 2px;
        font-size: 14px;
      }
    `,
  ];

  private get cards(): ApprovalCard[] {
    return [...this.renderRoot.querySelectorAll<ApprovalCard>("steward-approval-card")];
  }

  /** Who came here to decide begins with the first. Nothing that comes later takes the focus. */
  override updated(): void {
    if (this.greeted || this.approvals.length === 0) return;
    this.greeted = true;
    const [first] = this.cards;
    void first?.updateComplete.then(() => first.focus({ preventScroll: true }));
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get("approvals") as readonly Approval[] | undefined;
    const active = this.shadowRoot?.activeElement as ApprovalCard | null | undefined;
    const gone = active && before && !this.approvals.some((approval) => approval.id === active.approval?.id);
    // Who decided with the keyboard goes on with the next.
    if (!gone) return;
    const at = before.findIndex((approval) => approval.id === active.approval.id);
    void this.updateComplete.then(() => this.cards[Math.min(at, this.cards.length - 1)]?.focus());
  }

  private step(event: CustomEvent<{ by: number }>): void {
    const { cards } = this;
    const at = cards.indexOf(event.target as ApprovalCard);
    cards[(at + event.detail.by + cards.length) % cards.length]?.focus();
  }

  private titleOf(key: string): string {
    const known = this.sessions.is === "here" ? this.sessions.value.find((each) => each.sessionKey === key) : undefined;
    return known?.title || "a conversation";
  }

  override render() {
    return html`<div @step=${this.step}>
      ${repeat(
        this.approvals,
        (approval) => approval.id,
        (approval) =>
          html`<div class="entry">
            <steward-approval-card
              .approval=${approval}
              .conversation=${this.titleOf(approval.session)}
            ></steward-approval-card>
            <a href=${address("chat", approval.session)}>See the conversation</a>
          </div>`,
      )}
    </div>`;
  }
}
