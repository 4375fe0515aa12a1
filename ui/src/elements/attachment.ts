// A picture or a file that came with a message or a result.
import { css, html, LitElement } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Attachment } from "../gateway/frames";
import { controls } from "../style/shared";
import { bytes } from "../words";

@customElement("steward-attachment")
export class AttachmentElement extends LitElement {
  @property({ attribute: false }) attachment!: Attachment;
  @state() private url = "";
  @state() private size = 0;

  static override styles = [
    controls,
    css`
      :host {
        display: block;
        margin: 8px 0;
      }
      img {
        display: block;
        max-width: min(100%, 480px);
        max-height: 360px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--sunken);
      }
      a {
        display: inline-block;
      }
    `,
  ];

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has("attachment")) return;
    this.drop();
    const raw = Uint8Array.from(atob(this.attachment.data), (unit) => unit.charCodeAt(0));
    this.size = raw.length;
    // Only what is shown as a picture keeps its type: anything else must not open as a page of this house.
    const type = this.picture ? this.attachment.mime_type : "application/octet-stream";
    this.url = URL.createObjectURL(new Blob([raw], { type }));
  }

  private get picture(): boolean {
    return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(this.attachment.mime_type);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.drop();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.requestUpdate("attachment");
  }

  private drop(): void {
    if (this.url) URL.revokeObjectURL(this.url);
  }

  override render() {
    const name = this.attachment.name ?? (this.picture ? "picture" : "file");
    return html`<a href=${this.url} download=${name} title="Save ${name}">
      ${this.picture ? html`<img src=${this.url} alt=${name} />` : html`${name} (${bytes(this.size)})`}
    </a>`;
  }
}
