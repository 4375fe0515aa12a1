// Light, dark, or as the system has it. Fires `choose` {theme}.
import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { controls } from "../style/shared";
import type { Theme } from "../theme";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

@customElement("steward-theme-choice")
export class ThemeChoice extends LitElement {
  @property() theme: Theme = "system";

  static override styles = [
    controls,
    css`
      fieldset {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 24px;
        margin: 0;
        padding: 0;
        border: 0;
      }
      label {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 32px;
        cursor: pointer;
      }
      input {
        accent-color: var(--accent);
      }
    `,
  ];

  override render() {
    const choose = (theme: Theme) => this.dispatchEvent(new CustomEvent("choose", { detail: { theme } }));
    return html`<fieldset>
      <legend class="unseen">Colours</legend>
      ${THEMES.map(
        ([theme, words]) =>
          html`<label
            ><input type="radio" name="theme" .checked=${theme === this.theme} @change=${() => choose(theme)} />${words}</label
          >`,
      )}
    </fieldset>`;
  }
}
