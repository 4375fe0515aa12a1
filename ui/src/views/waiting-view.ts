// Everything that waits for the owner, in every conversation.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import "../elements/approval-list";
import "../elements/list-states";
import type { House } from "../house";
import { type State, waiting } from "../state/state";
import { Watch } from "../state/store";
import { controls, viewPage } from "../style/shared";

@customElement("steward-waiting-view")
export class WaitingView extends LitElement {
  @property({ attribute: false }) house!: House;
  private seen?: Watch<State>;

  static override styles = [
    controls,
    viewPage,
    css`
      .page {
        max-width: 720px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.seen ??= new Watch(this, this.house.store, (state) => state);
  }

  override render() {
    const { state } = this.house.store;
    const open = waiting(state);
    const list = { is: "here", value: open } as const;
    return html`<div class="page">
      <header><h1>Waiting for you</h1></header>
      <steward-list-states
        .list=${list}
        nothing="Nothing waits. When Steward wants to do something that matters, it asks here first."
      ></steward-list-states>
      <steward-approval-list
        .approvals=${open}
        .sessions=${state.sessions}
        @approve=${this.house.onApprove}
        @deny=${this.house.onDeny}
      ></steward-approval-list>
    </div>`;
  }
}
