// Tools and rules: what Steward can do, what it may do unasked, and what holds it.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import "../elements/list-states";
import "../elements/rule-list";
import type { Rule } from "../elements/rule-list";
import "../elements/tool-item";
import type { Toolbox } from "../gateway/answers";
import type { House } from "../house";
import { icons } from "../icons";
import { loaded } from "../loading";
import { address } from "../router";
import type { Loadable } from "../state/state";
import { rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";

const PRESETS: Record<string, string> = {
  guarded: "Every command, every change and everything that acts outside asks you first.",
  sandboxed: "Commands that are understood run in the sandbox unasked. Everything else asks.",
  readonly: "Whatever acts is denied.",
};

@customElement("steward-tools-view")
export class ToolsView extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private toolbox: Loadable<Toolbox> = { is: "loading" };

  static override styles = [
    controls,
    viewPage,
    rooms,
    css`
      .preset {
        font-weight: 600;
      }
      .primitives p {
        margin: 0;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const toolbox = await loaded(this.house.call("tools.list", {}));
    if (toolbox.is === "here" || this.toolbox.is !== "here") this.toolbox = toolbox;
  }

  private async takeBack(rule: string): Promise<void> {
    const went = await this.house.attempt(() => this.house.call("rules.remove", { rule }));
    if (went) this.house.say(`Removed. What ${rule} allowed asks again.`, "good");
    await this.fetch();
  }

  override render() {
    const { toolbox } = this;
    return html`<div class="page">
      <header><h1>Tools and rules</h1></header>
      ${toolbox.is === "here"
        ? this.full(toolbox.value)
        : html`<steward-list-states .list=${toolbox} @retry=${() => this.fetch()}></steward-list-states>`}
    </div>`;
  }

  private full(box: Toolbox) {
    return html`<p>
        The preset is <code class="preset">${box.preset}</code>. ${PRESETS[box.preset] ?? ""}
        <span class="soft">It stands in <code>config.toml</code> under <code>[policy]</code>.</span>
      </p>
      ${this.made(box)} ${this.written(box)}
      <section>
        <header><h2>Tools</h2><p class="small">What usually happens. Every call is judged by itself.</p></header>
        <steward-list-states
          .list=${{ is: "here", value: box.tools }}
          nothing="There are no tools. Look into the configuration."
          .action=${{ label: "Settings", href: address("settings") }}
        ></steward-list-states>
        <ul class="rows">
          ${repeat(
            box.tools,
            (tool) => tool.name,
            (tool) => html`<li><steward-tool-item .tool=${tool}></steward-tool-item></li>`,
          )}
        </ul>
      </section>
      ${this.sandbox(box)}`;
  }

  private made(box: Toolbox) {
    const rules = box.made.map((rule): Rule => ({ rule, verdict: "allow" }));
    return html`<section>
      <header><h2>Rules you made</h2></header>
      <steward-list-states
        .list=${{ is: "here", value: rules }}
        nothing="No rules yet. Choose “Always allow” when Steward asks, and the rule stands here."
        .action=${{ label: "What waits for you", href: address("waiting") }}
      ></steward-list-states>
      <steward-rule-list
        removable
        .rules=${rules}
        @remove=${(event: CustomEvent<{ rule: string }>) => this.takeBack(event.detail.rule)}
      ></steward-rule-list>
    </section>`;
  }

  private written({ rules: { deny, ask, allow, grants } }: Toolbox) {
    const strangers = "also after words of strangers came in";
    const rules: Rule[] = [
      ...deny.map((rule): Rule => ({ rule, verdict: "deny" })),
      ...ask.map((rule): Rule => ({ rule, verdict: "ask" })),
      ...allow.map((rule): Rule => ({ rule, verdict: "allow" })),
      ...grants.map((rule): Rule => ({ rule, verdict: "allow", hint: strangers })),
    ];
    return html`<section>
      <header><h2>Rules of the configuration</h2></header>
      <steward-list-states
        .list=${{ is: "here", value: rules }}
        nothing="None. Write them into config.toml under [policy]; bash(git status:*) is one, for example."
        .action=${{ label: "Where it is", href: address("settings") }}
      ></steward-list-states>
      <steward-rule-list .rules=${rules}></steward-rule-list>
    </section>`;
  }

  private sandbox({ sandbox }: Toolbox) {
    return html`<section>
      <header>
        <h2>Sandbox</h2>
        ${sandbox.enabled
          ? html`<p class="small">Commands are confined by what this kernel offers.</p>`
          : html`<p class="small warn">Switched off: every command asks and runs with your own powers.</p>`}
      </header>
      <ul class="rows primitives">
        ${sandbox.primitives.map(
          ({ name, available, consequence }) =>
            html`<li>
              <div class="line">
                <span>${name}</span>
                ${available
                  ? html`<span class="chip good push">${icons.check} Available</span>`
                  : html`<span class="chip warn push">${icons.warn} Missing</span>`}
              </div>
              ${available || !consequence ? nothing : html`<p class="small soft">${consequence}</p>`}
            </li>`,
        )}
      </ul>
    </section>`;
  }
}
