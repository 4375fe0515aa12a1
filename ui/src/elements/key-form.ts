// A field for a provider's key. Fires `key` {key, model?} and `close`. The key leaves the field and is not shown again.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icons } from "../icons";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { coded } from "./coded";

@customElement("steward-key-form")
export class KeyForm extends LitElement {
  @property() provider = "";
  @property({ type: Boolean }) busy = false;
  /** Why the key was not taken. */
  @property() why = "";

  static override styles = [
    controls,
    rooms,
    css`
      form {
        display: grid;
        gap: 12px;
        padding: 12px 0 4px;
        max-width: 480px;
      }
      p {
        margin: 0;
      }
    `,
  ];

  override firstUpdated(): void {
    this.renderRoot.querySelector("input")?.focus();
  }

  private value(name: string): string {
    return this.renderRoot.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value.trim() ?? "";
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const key = this.value("key");
    if (!key || this.busy) return;
    const model = this.value("model");
    const detail = { key, model: !model || model.includes("/") ? model || undefined : `${this.provider}/${model}` };
    this.dispatchEvent(new CustomEvent("key", { detail }));
  }

  override render() {
    const close = () => this.dispatchEvent(new Event("close"));
    return html`<form @submit=${this.submit} @keydown=${(event: KeyboardEvent) => event.key === "Escape" && close()}>
      <label class="field">
        Key of ${this.provider}
        <input type="password" name="key" autocomplete="off" spellcheck="false" aria-describedby="why hint" />
      </label>
      <label class="field">
        Model to try it with, if not the usual one
        <input type="text" name="model" autocomplete="off" spellcheck="false" placeholder="${this.provider}/…" />
      </label>
      <p class="small soft" id="hint">One short question is asked with it. Only a key that works is kept, and it is never shown again.</p>
      <div id="why" role="alert">${this.why ? html`<span class="told bad">${icons.warn}<span>${coded(this.why)}</span></span>` : nothing}</div>
      <div class="line">
        <button class="primary" ?disabled=${this.busy}>${this.busy ? "Trying the key…" : "Test and save"}</button>
        <button type="button" class="bare" ?disabled=${this.busy} @click=${close}>Cancel</button>
      </div>
    </form>`;
  }
}
