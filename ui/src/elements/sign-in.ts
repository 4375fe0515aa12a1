// The way in for a browser that has no cookie. Fires `sign-in` {token}; the view above says what came of it.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icons } from "../icons";
import { controls } from "../style/shared";
import { coded } from "./coded";

@customElement("steward-sign-in")
export class SignIn extends LitElement {
  @property() why = "";
  @property({ type: Boolean }) busy = false;

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        place-items: center;
        height: 100%;
        padding: 24px;
      }
      form {
        width: min(400px, 100%);
        display: grid;
        gap: 12px;
      }
      p {
        margin: 0;
        color: var(--text-soft);
      }
      .why {
        display: flex;
        gap: 6px;
        color: var(--bad);
      }
      .why svg {
        margin-top: 3px;
      }
    `,
  ];

  override firstUpdated(): void {
    this.renderRoot.querySelector("input")?.focus();
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const token = this.renderRoot.querySelector("input")?.value.trim();
    if (token) this.dispatchEvent(new CustomEvent("sign-in", { detail: { token } }));
  }

  override render() {
    return html`<form @submit=${this.submit}>
      <h1>Sign in to Steward</h1>
      <p>Run <code>steward open</code> on its machine and follow the link, or paste the token here.</p>
      <label for="token" class="unseen">Token</label>
      <input id="token" type="password" autocomplete="current-password" placeholder="Token" aria-describedby="why" />
      <div id="why" role="alert">
        ${this.why ? html`<span class="why">${icons.warn}<span>${coded(this.why)}</span></span>` : nothing}
      </div>
      <button class="primary" ?disabled=${this.busy}>${this.busy ? "Checking…" : "Sign in"}</button>
      <p class="small"><code>steward token show</code> prints the token.</p>
    </form>`;
  }
}
