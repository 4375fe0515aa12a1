// One call that is put to the owner: what will happen, the exact call, where and with which limits, the tool and how
// dangerous this is, why it asks.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { AskedCall } from "../gateway/frames";
import { icons } from "../icons";
import { controls } from "../style/shared";
import { coded } from "./coded";

@customElement("steward-approval-call")
export class ApprovalCall extends LitElement {
  @property({ attribute: false }) call!: AskedCall;
  /** Whether it is one of several, and so says itself what it does. */
  @property({ type: Boolean }) several = false;
  /** Whether where it runs and within which limits is said elsewhere. */
  @property({ type: Boolean }) brief = false;

  static override styles = [
    controls,
    css`
      :host {
        display: block;
      }
      h3 {
        margin-bottom: 6px;
      }
      pre {
        margin: 0 0 10px;
        padding: 10px 12px;
        max-height: 240px;
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        line-height: 20px;
      }
      dl {
        margin: 0;
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 2px 12px;
        font-size: 14px;
        line-height: 20px;
      }
      dt {
        color: var(--text-soft);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .flag {
        display: flex;
        gap: 6px;
        margin: 8px 0 0;
        font-size: 14px;
        line-height: 20px;
        color: var(--bad);
      }
    `,
  ];

  override render() {
    const { call } = this;
    return html`${this.several ? html`<h3>${call.summary}</h3>` : nothing}
      <pre tabindex="0" aria-label="The exact call">${call.details}</pre>
      <dl>
        ${this.brief
          ? nothing
          : html`<dt>Where</dt>
              <dd><span class="mono">${call.cwd}</span></dd>
              <dt>Limits</dt>
              <dd>${coded(call.confinement)}</dd>`}
        <dt>Tool</dt>
        <dd><span class="mono">${call.tool}</span>, ${call.risk}</dd>
        <dt>Why it asks</dt>
        <dd>${coded(call.reason)}</dd>
      </dl>
      ${call.flags?.map((flag) => html`<p class="flag">${icons.warn}<span>${coded(flag)}</span></p>`)}`;
  }
}
