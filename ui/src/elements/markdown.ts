// Text in Markdown. While it is `live`, what is finished is left alone and only the last block is drawn again.
import DOMPurify from "dompurify";
import { html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { morph } from "../markdown/morph";
import { Growing, whole } from "../markdown/render";
import { prose } from "../style/prose";
import { controls } from "../style/shared";
import { syntax } from "../style/syntax";

const CLEAN = {
  RETURN_DOM_FRAGMENT: true as const,
  ADD_ATTR: ["target", "tabindex"],
  FORBID_TAGS: ["style", "form", "iframe", "img", "svg", "math", "video", "audio", "textarea", "select"],
  FORBID_ATTR: ["style", "id", "name"],
};

@customElement("steward-markdown")
export class Markdown extends LitElement {
  @property() text = "";
  @property({ type: Boolean }) live = false;
  private growing = new Growing();
  /** What stands in each block, to know what is left as it is. */
  private drawn: string[] = [];

  static override styles = [controls, prose, syntax];

  override render() {
    return html`<div class="all" @click=${this.copy}></div>`;
  }

  override updated(): void {
    const root = this.renderRoot.querySelector(".all");
    if (!root) return;
    let blocks: string[];
    if (this.live) {
      const { settled, open } = this.growing.take(this.text);
      blocks = open ? [...settled, open] : settled;
    } else {
      blocks = whole(this.text);
      this.growing = new Growing();
    }
    blocks.forEach((source, index) => {
      if (this.drawn[index] === source) return;
      const block = root.children[index] ?? root.appendChild(newBlock());
      morph(block, DOMPurify.sanitize(source, CLEAN));
    });
    while (root.children.length > blocks.length) root.lastElementChild?.remove();
    this.drawn = [...blocks];
  }

  private copy(event: Event): void {
    const button = event.target;
    if (!(button instanceof HTMLButtonElement) || !("copy" in button.dataset)) return;
    const code = button.closest(".code")?.querySelector("code")?.textContent ?? "";
    void navigator.clipboard.writeText(code).then(() => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
  }
}

function newBlock(): HTMLElement {
  const block = document.createElement("div");
  block.className = "block";
  return block;
}
