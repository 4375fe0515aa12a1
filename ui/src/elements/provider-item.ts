// One provider: where it is, and whether its key is set and where. Fires `key` {provider, key, model?}, `open` and `close`.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { ProviderInfo } from "../gateway/frames";
import { icons } from "../icons";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import "./key-form";
import { coded } from "./coded";

@customElement("steward-provider-item")
export class ProviderItem extends LitElement {
  @property({ attribute: false }) provider!: ProviderInfo;
  /** Whether the field for a key is shown. */
  @property({ type: Boolean }) open = false;
  @property({ type: Boolean }) busy = false;
  @property() why = "";

  static override styles = [
    controls,
    rooms,
    css`
      :host {
        display: block;
      }
      .name {
        font-weight: 600;
      }
    `,
  ];

  private fire(name: string, detail?: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail: { provider: this.provider.name, ...detail } }));
  }

  override render() {
    const { name, keySet, keySource, baseUrl } = this.provider;
    const here = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(baseUrl ?? "");
    return html`<div class="line">
        <span class="name">${name}</span>
        ${keySet
          ? html`<span class="chip good">${icons.check} Key set</span>`
          : html`<span class="chip">${here ? "Local, no key" : "No key"}</span>`}
        <span class="push"></span>
        ${this.open
          ? nothing
          : html`<button class="small" aria-label=${`${keySet ? "Replace the key" : "Add a key"} of ${name}`} @click=${() => this.fire("open")}>
              ${keySet ? "Replace the key" : "Add a key"}
            </button>`}
      </div>
      <div class="small soft">${keySource ? html`${coded(keySource)} · ` : nothing}<span class="mono">${baseUrl}</span></div>
      ${this.open
        ? html`<steward-key-form
            .provider=${name}
            .busy=${this.busy}
            .why=${this.why}
            @key=${(event: CustomEvent<{ key: string; model?: string }>) => this.fire("key", event.detail)}
            @close=${() => this.fire("close")}
          ></steward-key-form>`
        : nothing}`;
  }
}
