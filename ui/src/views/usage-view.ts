// Usage: what models were asked, day by day, and what it cost where prices are known.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "../elements/list-states";
import "../elements/usage-chart";
import "../elements/usage-table";
import type { DayUsage, ModelUsage } from "../gateway/answers";
import type { House } from "../house";
import { loaded } from "../loading";
import { address } from "../router";
import { chart, type Measure, sum, tokensOf } from "../state/bars";
import { dayName, money, short } from "../state/numbers";
import type { Loadable } from "../state/state";
import { rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";
import { count } from "../words";

const SPANS = [7, 30, 90];

@customElement("steward-usage-view")
export class UsageView extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private usage: Loadable<{ days: readonly DayUsage[]; currency: string }> = { is: "loading" };
  @state() private span = 30;
  @state() private measure: Measure = "tokens";

  static override styles = [
    controls,
    viewPage,
    rooms,
    css`
      .sum {
        margin: 0 0 16px;
      }
      .sum b {
        font-size: 20px;
        font-weight: 600;
      }
      details {
        margin-top: 24px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const { span } = this;
    const usage = await loaded(this.house.call("usage.summary", { days: span }));
    if (span === this.span) this.usage = usage;
  }

  override render() {
    const { usage } = this;
    return html`<div class="page">
      <header><h1>Usage</h1></header>
      ${usage.is === "here" ? this.full(usage.value) : html`<steward-list-states .list=${usage} @retry=${this.again}></steward-list-states>`}
    </div>`;
  }

  private again(): void {
    this.usage = { is: "loading" };
    void this.fetch();
  }

  private full({ days, currency }: { days: readonly DayUsage[]; currency: string }) {
    const all = days.flatMap((day) => day.models);
    const priced = all.some((usage) => usage.cost !== null);
    const measure = priced ? this.measure : "tokens";
    return html`<div class="tools">
        <select
          aria-label="How many days"
          @change=${(event: Event) => {
            this.span = Number((event.target as HTMLSelectElement).value);
            void this.fetch();
          }}
        >
          ${SPANS.map((span) => html`<option value=${span} ?selected=${span === this.span}>Last ${span} days</option>`)}
        </select>
        ${priced
          ? html`<select aria-label="What the bars show" @change=${(event: Event) => (this.measure = (event.target as HTMLSelectElement).value as Measure)}>
              <option value="tokens" ?selected=${measure === "tokens"}>Tokens</option>
              <option value="cost" ?selected=${measure === "cost"}>Cost</option>
            </select>`
          : nothing}
      </div>
      <steward-list-states
        .list=${{ is: "here", value: all }}
        nothing="No model was asked in these days. Say something, and what it takes stands here."
        .action=${{ label: "New conversation", href: address("chat") }}
      ></steward-list-states>
      ${all.length > 0 ? this.numbers(days, all, measure, currency) : nothing}`;
  }

  private numbers(days: readonly DayUsage[], all: readonly ModelUsage[], measure: Measure, currency: string) {
    const drawn = chart(days, measure);
    const total = sum(all);
    const tokens = drawn.models.reduce((sum, model) => sum + tokensOf(model), 0);
    const unpriced = new Set(all.filter((usage) => usage.cost === null).map((usage) => usage.model)).size;
    const label = measure === "cost" ? "Cost of each day" : "Tokens of each day";
    const rows = days.flatMap((day) => day.models.map((usage) => ({ ...usage, day: dayName(day.day) }))).toReversed();
    return html`<p class="sum">
        <b>${short(tokens)}</b> tokens in ${count(total.calls, "call")}${total.cost === null ? "." : html` · <b>${money(total.cost, currency)}</b>`}
        ${unpriced > 0
          ? html`<br /><span class="small soft"
                >${total.cost === null ? "No prices are known" : `Without ${count(unpriced, "model")} whose price is not known`}. Prices stand in
                <code>config.toml</code> under <code>[prices]</code>.</span
              >`
          : nothing}
      </p>
      <steward-usage-chart
        .chart=${drawn}
        .label=${label}
        .say=${measure === "cost" ? (value: number) => money(value, currency) : short}
      ></steward-usage-chart>
      <section aria-label="By model">
        <steward-usage-table caption="By model, in tokens" .rows=${drawn.models} .currency=${currency}></steward-usage-table>
      </section>
      <details>
        <summary>Day by day as a table</summary>
        <steward-usage-table caption="By day and model, in tokens, the latest first" .rows=${rows} .currency=${currency}></steward-usage-table>
      </details>`;
  }
}
