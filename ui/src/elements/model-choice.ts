// Which model is asked. Fires `choose` {model}.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { icons } from "../icons";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { coded } from "./coded";

@customElement("steward-model-choice")
export class ModelChoice extends LitElement {
  @property() model = "";
  @property({ attribute: false }) models: readonly string[] = [];
  @property({ type: Boolean }) busy = false;
  /** Why the model was not taken. */
  @property() why = "";
  @state() private typed = "";

  static override styles = [
    controls,
    rooms,
    css`
      form {
        display: grid;
        gap: 4px;
        max-width: 480px;
      }
      .row {
        display: flex;
        gap: 8px;
      }
      .row button {
        flex: none;
      }
      p {
        margin: 0 0 12px;
      }
    `,
  ];

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("model")) this.typed = "";
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const model = this.typed.trim();
    if (model && !this.busy) this.dispatchEvent(new CustomEvent("choose", { detail: { model } }));
  }

  override render() {
    const type = (event: InputEvent) => (this.typed = (event.target as HTMLInputElement).value);
    const choices = [...new Set([...this.models, "auto"])].filter((model) => model !== this.model);
    return html`<p>Steward asks <code>${this.model || "no model yet"}</code> when a message names no other.</p>
      <form @submit=${this.submit}>
        <label class="field" for="model">Another model</label>
        <div class="row">
          <input
            id="model"
            type="text"
            list="models"
            autocomplete="off"
            spellcheck="false"
            placeholder="provider/model, or auto"
            aria-describedby="why"
            .value=${this.typed}
            @input=${type}
          />
          <datalist id="models">${choices.map((model) => html`<option value=${model}></option>`)}</datalist>
          <button ?disabled=${this.busy || !this.typed.trim()}>${this.busy ? "Changing…" : "Use it"}</button>
        </div>
        <div id="why" role="alert">${this.why ? html`<span class="told bad">${icons.warn}<span>${coded(this.why)}</span></span>` : nothing}</div>
      </form>`;
  }
}
