// A field for a new order. Fires `order` {prompt}; the view empties it with `clear` once the order was taken.
import { css, html, LitElement } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { controls } from "../style/shared";
import { rooms } from "../style/rooms";

@customElement("steward-task-order")
export class TaskOrder extends LitElement {
  @property({ type: Boolean }) busy = false;
  @query("textarea") private readonly field!: HTMLTextAreaElement;

  static override styles = [
    controls,
    rooms,
    css`
      form {
        display: grid;
        gap: 8px;
        margin-bottom: 24px;
      }
      textarea {
        resize: vertical;
        min-height: 72px;
      }
      .line {
        flex-wrap: nowrap;
        justify-content: space-between;
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
  }

  private submit(event?: Event): void {
    event?.preventDefault();
    const prompt = this.field.value.trim();
    if (!prompt) this.field.focus();
    else if (!this.busy) this.dispatchEvent(new CustomEvent("order", { detail: { prompt } }));
  }

  private press(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) this.submit(event);
  }

  override render() {
    return html`<form @submit=${this.submit}>
      <label class="field"
        >New task
        <textarea rows="3" placeholder="What should be done, and what you want to get back" @keydown=${this.press}></textarea>
      </label>
      <div class="line">
        <span class="small faint">A task works by itself. What needs your word waits for you.</span>
        <button class="primary" ?disabled=${this.busy}>${this.busy ? "Handing over…" : "Start task"}</button>
      </div>
    </form>`;
  }
}
