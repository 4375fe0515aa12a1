// When something comes due: in words, once, every so often, or as cron has it, and what that would mean. Fires `when`
// {when}; who listens hands back the preview.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Preview } from "../gateway/orders";
import { icons } from "../icons";
import type { Loadable } from "../state/state";
import { type Mode, NO_TIME, type Unit, type When } from "../state/when";
import { forms } from "../style/forms";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { ago } from "../ticking";
import { clock } from "../words";
import { coded } from "./coded";

const MODES: readonly (readonly [Mode, string])[] = [
  ["words", "In words"],
  ["once", "Once"],
  ["every", "Every so often"],
  ["cron", "Cron"],
];

const UNITS: readonly Unit[] = ["minutes", "hours", "days"];

@customElement("steward-when-field")
export class WhenField extends LitElement {
  @property({ attribute: false }) when: When = NO_TIME;
  /** What it would mean; nothing while nothing was said. */
  @property({ attribute: false }) preview?: Loadable<Preview>;
  /** Whether it has to come again and again. */
  @property({ type: Boolean }) again = false;

  static override styles = [
    controls,
    rooms,
    forms,
    css`
      :host {
        display: block;
      }
      legend {
        padding: 0;
        margin-bottom: 4px;
        font-size: 14px;
        color: var(--text-soft);
      }
      .choices {
        margin-bottom: 8px;
      }
      .means {
        display: flex;
        gap: 8px;
        margin-top: 8px;
        padding: 8px 12px;
        border-radius: var(--radius);
        background: var(--accent-ground);
        font-size: 14px;
        line-height: 22px;
        overflow-wrap: anywhere;
      }
      .means.bad {
        background: var(--bad-ground);
      }
      .means svg {
        width: 16px;
        height: 16px;
        margin-top: 3px;
      }
      .means b {
        font-weight: 600;
      }
    `,
  ];

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>(".pair input, fieldset > input")?.focus();
  }

  private change(changes: Partial<When>): void {
    this.dispatchEvent(new CustomEvent("when", { detail: { when: { ...this.when, ...changes } } }));
  }

  override render() {
    const { when } = this;
    const modes = MODES.filter(([mode]) => !this.again || mode !== "once");
    return html`<fieldset>
      <legend>When</legend>
      <div class="choices">
        ${modes.map(
          ([mode, words]) =>
            html`<label
              ><input type="radio" name="mode" .checked=${mode === when.mode} @change=${() => this.change({ mode })} />${words}</label
            >`,
        )}
      </div>
      ${this.fields()}
      <div role="status" aria-live="polite">${this.means()}</div>
    </fieldset>`;
  }

  private fields() {
    const { when } = this;
    const text = (event: Event) => (event.target as HTMLInputElement).value;
    switch (when.mode) {
      case "words":
        return html`<input
          type="text"
          aria-label="When, in words"
          autocomplete="off"
          placeholder=${this.again ? "every weekday at 9" : "every weekday at 9, in 20 minutes, tomorrow at 18:30"}
          .value=${when.phrase}
          @input=${(event: Event) => this.change({ phrase: text(event) })}
        />`;
      case "once":
        return html`<input
          type="datetime-local"
          aria-label="Day and time"
          .value=${when.at}
          @input=${(event: Event) => this.change({ at: text(event) })}
        />`;
      case "every":
        return html`<div class="pair">
          <input
            type="number"
            min="1"
            aria-label="How many"
            .value=${when.every}
            @input=${(event: Event) => this.change({ every: text(event) })}
          />
          <select aria-label="Of what" @change=${(event: Event) => this.change({ unit: text(event) as Unit })}>
            ${UNITS.map((unit) => html`<option value=${unit} ?selected=${unit === when.unit}>${unit}</option>`)}
          </select>
        </div>`;
      case "cron":
        return html`<div class="pair">
          <input
            type="text"
            class="mono"
            aria-label="Cron expression"
            placeholder="0 9 * * 1-5"
            spellcheck="false"
            .value=${when.expr}
            @input=${(event: Event) => this.change({ expr: text(event) })}
          />
          <input
            type="text"
            aria-label="Time zone"
            placeholder="Time zone, if not yours"
            spellcheck="false"
            .value=${when.zone}
            @input=${(event: Event) => this.change({ zone: text(event) })}
          />
        </div>`;
    }
  }

  private means() {
    const { preview } = this;
    if (!preview || preview.is === "loading") return nothing;
    if (preview.is === "failed") return html`<div class="means bad">${icons.warn}<span>${coded(preview.why)}</span></div>`;
    const { describe, next } = preview.value;
    const [first, ...more] = next;
    return html`<div class="means">
      ${icons.clock}
      <span
        ><b>${describe}</b>${first ? html`<br />First ${ago(first)}, ${clock(first)}` : html`<br />It never comes.`}${more.length > 0
          ? html`<span class="soft">, then ${more.map((at) => clock(at)).join(" and ")}</span>`
          : nothing}</span
      >
    </div>`;
  }
}
