// What a program seems about to do after the calls it asks for. The element it stands in takes `card` for its look.
import { html, nothing, type TemplateResult } from "lit";
import type { Forecast } from "../gateway/frames";
import { count } from "../words";
import { coded } from "./coded";

/** More than these are counted. */
const MOST = 12;

export function forecast({ calls = [] }: Forecast): TemplateResult | typeof nothing {
  if (calls.length === 0) return nothing;
  const more = calls.length - MOST;
  return html`<aside class="forecast small soft" aria-label="Forecast">
    <p>After that it seems to want</p>
    <ol>
      ${calls.slice(0, MOST).map(({ tool, summary }) => html`<li><code>${tool}</code> ${coded(summary)}</li>`)}
    </ol>
    ${more > 0 ? html`<p>and ${count(more, "call")} more.</p>` : nothing}
    <p>This is a forecast from a trial run with made-up results. Nothing in it is approved.</p>
  </aside>`;
}
