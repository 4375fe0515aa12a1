// A new task: for now, to come again, or whenever something outside happens. Fires `order` {prompt, kind, secret} and
// `when` {when}; the view empties it with `clear` once the order was taken.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Preview, TaskKind } from "../gateway/orders";
import { type IconName, icons } from "../icons";
import type { Loadable } from "../state/state";
import { NO_TIME, type When, written } from "../state/when";
import { forms } from "../style/forms";
import { controls } from "../style/shared";
import { rooms } from "../style/rooms";
import "./when-field";

const KINDS: readonly (readonly [TaskKind, string, IconName, string])[] = [
  ["one_shot", "Now", "right", "A task works by itself. What needs your word waits for you."],
  ["recurring", "Again and again", "repeat", "It ends when it says that it is done, or when you cancel it."],
  ["event", "When something happens", "hook", "It gets an address. Whatever is sent there starts a run."],
];

export interface Ordered {
  readonly prompt: string;
  readonly kind: TaskKind;
  readonly secret?: string;
}

@customElement("steward-task-order")
export class TaskOrder extends LitElement {
  @property({ type: Boolean }) busy = false;
  @property({ attribute: false }) when: When = NO_TIME;
  @property({ attribute: false }) preview?: Loadable<Preview>;
  @state() private kind: TaskKind = "one_shot";
  @query("textarea") private readonly field!: HTMLTextAreaElement;
  @query("steward-when-field") private readonly whenField?: HTMLElement;

  static override styles = [
    controls,
    rooms,
    forms,
    css`
      form {
        gap: 12px;
        margin-bottom: 24px;
      }
      textarea {
        min-height: 72px;
      }
      .last {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 12px;
      }
      button {
        flex: none;
      }
    `,
  ];

  override focus(): void {
    this.field.focus();
  }

  clear(): void {
    this.field.value = "";
    this.kind = "one_shot";
  }

  private submit(event?: Event): void {
    event?.preventDefault();
    const prompt = this.field.value.trim();
    if (!prompt) return this.field.focus();
    if (this.kind === "recurring" && written(this.when) === undefined) return this.whenField?.focus();
    if (this.busy) return;
    const secret = this.renderRoot.querySelector<HTMLInputElement>("input[name=secret]")?.value || undefined;
    const detail: Ordered = { prompt, kind: this.kind, secret };
    this.dispatchEvent(new CustomEvent("order", { detail }));
  }

  private press(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) this.submit(event);
  }

  override render() {
    const hint = KINDS.find(([kind]) => kind === this.kind)?.[3];
    return html`<form @submit=${this.submit}>
      <label class="field"
        >New task
        <textarea rows="3" placeholder="What should be done, and what you want to get back" @keydown=${this.press}></textarea>
      </label>
      <fieldset>
        <legend class="unseen">How often</legend>
        <div class="choices">
          ${KINDS.map(
            ([kind, words, icon]) =>
              html`<label
                ><input type="radio" name="kind" .checked=${kind === this.kind} @change=${() => (this.kind = kind)} />${icons[icon]}
                ${words}</label
              >`,
          )}
        </div>
      </fieldset>
      ${this.kind === "recurring"
        ? html`<steward-when-field
            again
            .when=${this.when}
            .preview=${this.preview}
            @when=${({ detail }: CustomEvent) => this.dispatchEvent(new CustomEvent("when", { detail }))}
          ></steward-when-field>`
        : nothing}
      ${this.kind === "event"
        ? html`<label class="field"
            >Secret that senders sign with, if you want that
            <input type="password" name="secret" autocomplete="new-password" spellcheck="false" />
          </label>`
        : nothing}
      <div class="last">
        <span class="small faint">${hint}</span>
        <button class="primary" ?disabled=${this.busy}>${this.busy ? "Handing over…" : "Start task"}</button>
      </div>
    </form>`;
  }
}
