// Where to hand something in for a task, and how, told this once. Fires `close`.
import { css, html, LitElement, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Hook } from "../gateway/orders";
import { icons } from "../icons";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";

@customElement("steward-hook-card")
export class HookCard extends LitElement {
  @property({ attribute: false }) hook!: Hook;
  @property({ type: Boolean }) signed = false;
  @state() private copied?: string;

  static override styles = [
    controls,
    rooms,
    css`
      .card {
        margin-bottom: 16px;
        padding: 12px 16px 16px;
        border: 1px solid var(--accent);
        border-radius: 12px;
        background: var(--accent-ground);
      }
      h3 {
        display: flex;
        gap: 8px;
        align-items: center;
        margin-bottom: 4px;
      }
      p {
        margin: 0 0 12px;
      }
      .given {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 8px;
        align-items: start;
        margin-top: 8px;
      }
      .given pre {
        margin: 0;
        background: var(--ground);
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
      .given span {
        grid-column: 1 / -1;
        margin-bottom: -4px;
      }
      .given button {
        min-width: 80px;
        min-height: 36px;
      }
      .last {
        margin: 12px 0 0;
      }
    `,
  ];

  private async copy(what: string, text: string, shown: Element | null): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page that came over plain HTTP from another machine may not; then it is chosen for the owner to copy.
      if (shown) getSelection()?.selectAllChildren(shown);
      return;
    }
    this.copied = what;
    setTimeout(() => (this.copied = undefined), 1500);
  }

  override render() {
    const { url, token } = this.hook;
    return html`<div class="card" role="group" aria-label="Where to hand something in">
      <h3>${icons.hook} Its address is told this once</h3>
      <p class="small soft">Copy it now. Who has it can start a run; only a digest of it is kept.</p>
      ${this.given("Address", url)} ${this.given("Token", token)}
      ${this.given("Try it", this.signed ? signedExample(url) : example(url))}
      <div class="last"><button @click=${() => this.dispatchEvent(new Event("close"))}>I have copied it</button></div>
    </div>`;
  }

  private given(what: string, text: string): TemplateResult {
    return html`<div class="given">
      <span class="small soft">${what}</span>
      <pre tabindex="0" aria-label=${what}>${text}</pre>
      <button aria-label=${`Copy: ${what}`} @click=${({ currentTarget }: Event) => this.copy(what, text, (currentTarget as Element).previousElementSibling)}>
        ${this.copied === what ? icons.check : icons.copy} ${this.copied === what ? "Copied" : "Copy"}
      </button>
    </div>`;
  }
}

function example(url: string): string {
  return `curl -X POST ${url} \\\n  -d 'A mail came from Ada: lunch?'`;
}

function signedExample(url: string): string {
  return `BODY='A mail came from Ada: lunch?'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl -X POST ${url} \\
  -H "X-Steward-Signature: sha256=$SIGNATURE" -d "$BODY"`;
}
