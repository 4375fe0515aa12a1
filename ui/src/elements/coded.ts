// Plain words in which `…` marks what is code.
import { html, type TemplateResult } from "lit";

export function coded(text: string): TemplateResult {
  const parts = text.split("`");
  // A mark without its partner is only a mark.
  if (parts.length % 2 === 0) return html`${text}`;
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
