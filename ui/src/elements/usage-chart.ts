// Bars for each day, stacked by model. The pointer or the arrow keys go along the days; the numbers of the day
// stand in a small card, and are read out.
import { css, html, LitElement, nothing, svg } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Bar, Chart } from "../state/bars";
import { dayName } from "../state/numbers";
import { controls } from "../style/shared";
import { chartLook } from "../style/chart";

const HEIGHT = 220;
const LEFT = 52;
const BOTTOM = 24;
const TOP = 8;

@customElement("steward-usage-chart")
export class UsageChart extends LitElement {
  @property({ attribute: false }) chart!: Chart;
  /** How a value is said, on the scale and in the card. */
  @property({ attribute: false }) say: (value: number) => string = String;
  @property() label = "";
  @state() private width = 640;
  @state() private chosen?: number;
  private readonly sized = new ResizeObserver(([entry]) => {
    if (entry) this.width = Math.max(240, entry.contentRect.width);
  });

  static override styles = [controls, chartLook, css``];

  override connectedCallback(): void {
    super.connectedCallback();
    this.sized.observe(this);
  }

  override disconnectedCallback(): void {
    this.sized.disconnect();
    super.disconnectedCallback();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("chart")) this.chosen = undefined;
  }

  private get step(): number {
    return (this.width - LEFT) / this.chart.bars.length;
  }

  private y(value: number): number {
    return HEIGHT - BOTTOM - (value / this.chart.top) * (HEIGHT - BOTTOM - TOP);
  }

  private press(event: KeyboardEvent): void {
    const last = this.chart.bars.length - 1;
    const at = this.chosen ?? last + 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (event.key === "Escape") this.chosen = undefined;
    if (to === undefined) return;
    event.preventDefault();
    this.chosen = Math.min(last, Math.max(0, to));
  }

  private point(event: PointerEvent): void {
    const x = event.clientX - this.getBoundingClientRect().left - LEFT;
    const index = Math.floor(x / this.step);
    this.chosen = index >= 0 && index < this.chart.bars.length ? index : undefined;
  }

  override render() {
    const { chart, width } = this;
    const bar = this.chosen === undefined ? undefined : chart.bars[this.chosen];
    return html`<div class="frame" @pointerleave=${() => (this.chosen = undefined)}>
      <svg
        width=${width}
        height=${HEIGHT}
        tabindex="0"
        role="application"
        aria-label=${`${this.label}. The arrow keys go along the days; a table follows.`}
        @keydown=${this.press}
        @pointermove=${this.point}
        @pointerdown=${this.point}
        @blur=${() => (this.chosen = undefined)}
      >
        ${chart.ticks.map(
          (tick) => svg`<line class="rule" x1=${LEFT} x2=${width} y1=${this.y(tick)} y2=${this.y(tick)}></line>
            <text class="tick" x=${LEFT - 8} y=${this.y(tick) + 4}>${this.say(tick)}</text>`,
        )}
        ${chart.bars.map((each, index) => this.bar(each, index))}
      </svg>
      ${bar ? this.card(bar) : nothing}
      <div class="unseen" role="status">${bar ? `${dayName(bar.day, true)}: ${this.words(bar)}` : ""}</div>
    </div>`;
  }

  private words(bar: Bar): string {
    if (bar.parts.length === 0) return "nothing";
    return `${this.say(bar.total)}; ${bar.parts.map((part) => `${part.model} ${this.say(part.value)}`).join(", ")}`;
  }

  private bar(bar: Bar, index: number) {
    const { step } = this;
    const left = LEFT + index * step;
    const gap = step > 6 ? Math.min(8, step * 0.25) : 1;
    // Names of days stand at least so far apart that they do not touch, counted from today.
    const every = Math.ceil(72 / step);
    const named = (this.chart.bars.length - 1 - index) % every === 0;
    const middle = Math.min(left + step / 2, this.width - 24);
    return svg`<g>
      ${index === this.chosen ? svg`<rect class="column" x=${left} y=${TOP} width=${step} height=${HEIGHT - BOTTOM - TOP}></rect>` : nothing}
      ${bar.parts.map((part) => {
        const top = this.y(part.from + part.value);
        const height = Math.max(1, this.y(part.from) - top);
        return svg`<rect class="part c${part.colour} ${step > 8 ? "apart" : ""}" x=${left + gap / 2} y=${top} width=${Math.max(1, step - gap)} height=${height}></rect>`;
      })}
      ${named ? svg`<text class="day" x=${middle} y=${HEIGHT - 6}>${dayName(bar.day)}</text>` : nothing}
    </g>`;
  }

  override updated(): void {
    const card = this.renderRoot.querySelector<HTMLElement>(".card");
    if (!card || this.chosen === undefined) return;
    const middle = LEFT + (this.chosen + 0.5) * this.step;
    // The policy of the page forbids a style in the markup, but not one that is set.
    card.style.left = `${Math.min(Math.max(0, middle - card.offsetWidth / 2), Math.max(0, this.width - card.offsetWidth))}px`;
  }

  private card(bar: Bar) {
    return html`<div class="card" aria-hidden="true">
      <b>${dayName(bar.day, true)}</b>
      ${bar.parts.toReversed().map(
        (part) => html`<span class="key"><i class="c${part.colour}"></i><span class="model">${part.model}</span><span>${this.say(part.value)}</span></span>`,
      )}
      <span class="key total"><span class="model">${bar.parts.length === 0 ? "Nothing was used" : "Together"}</span><span>${bar.parts.length === 0 ? "" : this.say(bar.total)}</span></span>
    </div>`;
  }
}
