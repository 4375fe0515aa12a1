// `?`: what the keys do. Fires `close`.
import { css, html, LitElement } from "lit";
import { customElement } from "lit/decorators.js";
import { icons } from "../icons";
import { controls } from "../style/shared";

const KEYS: readonly [string, readonly [string, string][]][] = [
  [
    "Anywhere",
    [
      ["⌘K or Ctrl K", "Search and commands"],
      ["N", "New conversation"],
      ["W", "What waits for you"],
      ["/", "Write a message"],
      ["?", "This help"],
    ],
  ],
  [
    "Conversation",
    [
      ["Enter", "Send"],
      ["⇧ Enter", "New line"],
      ["Esc", "Stop Steward"],
      ["↑", "Edit your last message, when the field is empty"],
      ["/", "Commands, at the start of a message"],
    ],
  ],
  [
    "A request that is focused",
    [
      ["A", "Approve"],
      ["D", "Deny"],
      ["← →", "Move between the buttons"],
      ["↑ ↓", "Move between requests"],
    ],
  ],
  [
    "Lists",
    [
      ["J K", "Next and previous"],
      ["F2", "Rename a conversation"],
    ],
  ],
];

@customElement("steward-help")
export class Help extends LitElement {
  static override styles = [
    controls,
    css`
      dialog {
        width: min(520px, calc(100vw - 32px));
        padding: 20px 24px 24px;
        border: 1px solid var(--line);
        border-radius: 12px;
        background: var(--raised);
        color: var(--text);
        box-shadow: var(--shadow);
      }
      dialog::backdrop {
        background: var(--veil);
      }
      header {
        display: flex;
        justify-content: space-between;
        align-items: center;
      }
      h3 {
        margin: 16px 0 4px;
        font-size: 13px;
        color: var(--text-faint);
      }
      dl {
        margin: 0;
        display: grid;
        grid-template-columns: 132px 1fr;
        gap: 4px 12px;
      }
      dd {
        margin: 0;
      }
    `,
  ];

  override firstUpdated(): void {
    this.renderRoot.querySelector("dialog")?.showModal();
  }

  override render() {
    const close = () => this.dispatchEvent(new Event("close"));
    return html`<dialog aria-labelledby="title" @close=${close}>
      <header>
        <h2 id="title">Keys</h2>
        <button class="bare icon" aria-label="Close" @click=${close}>${icons.close}</button>
      </header>
      ${KEYS.map(
        ([where, keys]) =>
          html`<h3>${where}</h3>
            <dl>
              ${keys.map(
                ([key, does]) =>
                  html`<dt><kbd>${key}</kbd></dt>
                    <dd>${does}</dd>`,
              )}
            </dl>`,
      )}
    </dialog>`;
  }
}
