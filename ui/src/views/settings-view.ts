// Settings: which model, whose keys, how the page looks, and where everything is.
import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import "../elements/list-states";
import "../elements/model-choice";
import "../elements/provider-item";
import "../elements/theme-choice";
import type { ProviderInfo, Settings } from "../gateway/frames";
import { type House, words } from "../house";
import { loaded } from "../loading";
import { address } from "../router";
import type { Loadable } from "../state/state";
import { rooms } from "../style/rooms";
import { controls, viewPage } from "../style/shared";
import { setTheme, type Theme, theme } from "../theme";

/** What is being changed, how far it is, and why it was refused. */
interface Change {
  readonly busy: boolean;
  readonly why: string;
}

const STILL: Change = { busy: false, why: "" };

@customElement("steward-settings-view")
export class SettingsView extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private settings: Loadable<Settings> = { is: "loading" };
  /** The provider whose key is asked for. */
  @state() private asked?: string;
  @state() private key = STILL;
  @state() private model = STILL;
  /** The model a new key was tried with. */
  @state() private tried?: string;
  @state() private look: Theme = theme();

  static override styles = [
    controls,
    viewPage,
    rooms,
    css`
      .page > header + section {
        margin-top: 0;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const settings = await loaded(this.house.call("settings.get", {}));
    if (settings.is === "here") this.house.store.dispatch({ type: "settings", settings: settings.value });
    if (settings.is === "here" || this.settings.is !== "here") this.settings = settings;
  }

  private async choose(model: string): Promise<void> {
    this.model = { busy: true, why: "" };
    try {
      const { model: now } = await this.house.call("settings.setModel", { model });
      this.house.say(`Steward asks ${now} from now on.`, "good");
      this.tried = undefined;
      this.model = STILL;
      await this.fetch();
    } catch (error) {
      this.model = { busy: false, why: words(error) };
    }
  }

  private async save(provider: string, key: string, model?: string): Promise<void> {
    this.key = { busy: true, why: "" };
    try {
      const answer = await this.house.call("setup.saveKey", { provider, key, model });
      this.house.say(`The key of ${provider} works and is kept.`, "good");
      this.ask(undefined);
      await this.fetch();
      this.tried = answer.model;
    } catch (error) {
      this.key = { busy: false, why: words(error) };
    }
  }

  private ask(provider?: string): void {
    this.asked = provider;
    this.key = STILL;
  }

  override render() {
    const { settings } = this;
    return html`<div class="page">
      <header><h1>Settings</h1></header>
      ${settings.is === "here"
        ? this.full(settings.value)
        : html`<steward-list-states .list=${settings} @retry=${() => this.fetch()}></steward-list-states>`}
      <section>
        <header><h2>Colours</h2></header>
        <steward-theme-choice
          .theme=${this.look}
          @choose=${(event: CustomEvent<{ theme: Theme }>) => {
            setTheme(event.detail.theme);
            this.look = event.detail.theme;
          }}
        ></steward-theme-choice>
      </section>
      ${settings.is === "here" ? this.places(settings.value) : nothing}
    </div>`;
  }

  private full(settings: Settings) {
    return html`<section>
        <header><h2>Model</h2></header>
        ${settings.needsSetup ? html`<p>Only the small offline helper answers so far. <a href=${address("setup")}>Set up a model</a></p>` : nothing}
        <steward-model-choice
          .model=${settings.model ?? ""}
          .models=${settings.models}
          .busy=${this.model.busy}
          .why=${this.model.why}
          @choose=${(event: CustomEvent<{ model: string }>) => this.choose(event.detail.model)}
        ></steward-model-choice>
      </section>
      <section>
        <header><h2>Providers</h2></header>
        ${this.offer(settings)}
        <steward-list-states
          .list=${{ is: "here", value: settings.providers }}
          nothing="No providers are known."
          .action=${{ label: "Set up a model", href: address("setup") }}
        ></steward-list-states>
        <ul class="rows">
          ${repeat(
            settings.providers,
            (provider) => provider.name,
            (provider) => html`<li>${this.provider(provider)}</li>`,
          )}
        </ul>
      </section>`;
  }

  /** Who adds a key mostly wants to use it. */
  private offer(settings: Settings) {
    const { tried } = this;
    if (!tried || tried === settings.model) return nothing;
    return html`<p class="line">
      <span>The new key was tried with <code>${tried}</code>.</span>
      <button class="small" @click=${() => this.choose(tried)}>Use this model from now on</button>
    </p>`;
  }

  private provider(provider: ProviderInfo) {
    const open = this.asked === provider.name;
    return html`<steward-provider-item
      .provider=${provider}
      .open=${open}
      .busy=${open && this.key.busy}
      .why=${open ? this.key.why : ""}
      @open=${() => this.ask(provider.name)}
      @close=${() => this.ask(undefined)}
      @key=${({ detail }: CustomEvent<{ provider: string; key: string; model?: string }>) =>
        this.save(detail.provider, detail.key, detail.model)}
    ></steward-provider-item>`;
  }

  private places({ version, home, workspace, preset }: Settings) {
    return html`<section>
      <header><h2>This Steward</h2></header>
      <dl class="facts">
        <dt>Version</dt>
        <dd>${version}</dd>
        <dt>Home</dt>
        <dd><code>${home}</code></dd>
        <dt>Workspace</dt>
        <dd><code>${workspace}</code></dd>
        <dt>Preset</dt>
        <dd><code>${preset}</code> · <a href=${address("tools")}>Tools and rules</a></dd>
      </dl>
    </section>`;
  }
}
