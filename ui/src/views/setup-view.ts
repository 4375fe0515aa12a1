// The first thing a new house needs: a model. What is found on the machine comes first, then a key by hand.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { coded } from "../elements/coded";
import "../elements/list-states";
import type { Result } from "../gateway/frames";
import { type House, words } from "../house";
import { icons } from "../icons";
import { address, go } from "../router";
import type { Loadable, State } from "../state/state";
import { Watch } from "../state/store";
import { setup } from "../style/setup";
import { controls, viewPage } from "../style/shared";

/** Where a key is made. */
const KEY_PAGES: Readonly<Record<string, string>> = {
  anthropic: "console.anthropic.com, under API keys",
  openai: "platform.openai.com, under API keys",
  openrouter: "openrouter.ai, under Keys",
};

const NAMES: Readonly<Record<string, string>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  ollama: "Ollama",
  llamacpp: "llama.cpp",
  lmstudio: "LM Studio",
  vllm: "vLLM",
};

@customElement("steward-setup-view")
export class SetupView extends LitElement {
  @property({ attribute: false }) house!: House;
  @state() private found: Loadable<Result<"setup.detect">> = { is: "loading" };
  @state() private provider = "anthropic";
  @state() private busy = "";
  @state() private why = "";
  private seen?: Watch<State["settings"]>;

  static override styles = [controls, viewPage, setup];

  override connectedCallback(): void {
    super.connectedCallback();
    this.seen ??= new Watch(this, this.house.store, (state) => state.settings);
    void this.detect();
    void this.house.refreshSettings();
  }

  private async detect(): Promise<void> {
    this.found = { is: "loading" };
    try {
      this.found = { is: "here", value: await this.house.call("setup.detect", {}) };
    } catch (error) {
      this.found = { is: "failed", why: words(error) };
    }
  }

  private async during(what: string, act: () => Promise<unknown>): Promise<boolean> {
    this.busy = what;
    this.why = "";
    try {
      await act();
      return true;
    } catch (error) {
      this.why = words(error);
      return false;
    } finally {
      this.busy = "";
      await this.house.refreshSettings();
    }
  }

  private async use(model: string): Promise<void> {
    const done = await this.during(model, () => this.house.call("settings.setModel", { model }));
    if (!done) return;
    this.house.say(`${model} answers from now on.`, "good");
    go("chat");
  }

  private async saveKey(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const field = this.renderRoot.querySelector<HTMLInputElement>("#key");
    const key = field?.value.trim();
    const { provider } = this;
    if (!key) return;
    const saved = await this.during("key", () => this.house.call("setup.saveKey", { provider, key }));
    if (!saved) return;
    if (field) field.value = "";
    const settings = this.seen?.value;
    const next = settings?.needsSetup === false ? `${settings.model} answers now.` : "Choose the model that answers.";
    this.house.say(`The key works and is kept. ${next}`, "good");
    await this.detect();
  }

  override render() {
    const settings = this.seen?.value;
    return html`<div class="page">
      <header>
        <h1>Set up a model</h1>
        <p>Steward thinks with a language model. Use one on this machine, or a provider you have a key for.</p>
      </header>
      <div role="alert">
        ${this.why ? html`<p class="why">${icons.warn}<span>${coded(this.why)}</span></p>` : nothing}
      </div>
      ${this.foundHere()} ${this.keyForm()}
      <p class="small soft">
        ${settings?.needsSetup === false
          ? html`${settings.model} answers now. <a href=${address("chat")}>Start a conversation</a>`
          : html`Until then a small offline helper answers. <a href=${address("chat")}>Go on without a model</a>`}
      </p>
    </div>`;
  }

  private foundHere() {
    const { found } = this;
    const settings = this.seen?.value;
    if (found.is !== "here") {
      return html`<section>
        <h2>Looking on this machine</h2>
        <steward-list-states
          .list=${found.is === "loading" ? { is: "loading" } : found}
          @retry=${this.detect}
        ></steward-list-states>
      </section>`;
    }
    const ready = new Set([
      ...found.value.keys.map((key) => key.provider),
      ...(settings?.providers.filter((provider) => provider.keySet).map((provider) => provider.name) ?? []),
    ]);
    const keyed = [...ready].map((provider) => {
      const source =
        found.value.keys.find((key) => key.provider === provider)?.source ??
        settings?.providers.find((each) => each.name === provider)?.keySource;
      const models = settings?.models.filter((model) => model.startsWith(`${provider}/`)) ?? [];
      return this.group(provider, source ? `key from ${source}` : "key set", models);
    });
    const local = found.value.servers.map((server) =>
      this.group(
        server.provider,
        server.baseUrl,
        server.models.map((model) => (model.startsWith(`${server.provider}/`) ? model : `${server.provider}/${model}`)),
      ),
    );
    if (keyed.length + local.length === 0) {
      return html`<section>
        <h2>On this machine</h2>
        <p class="soft">
          No key and no local model server was found. Start Ollama, llama.cpp, LM Studio or vLLM and
          <button class="small" @click=${this.detect}>look again</button>, or paste a key below.
        </p>
      </section>`;
    }
    return html`<section>
      <h2>On this machine</h2>
      ${local}${keyed}
    </section>`;
  }

  private group(provider: string, source: string, models: readonly string[]) {
    return html`<div class="group">
      <h3>${NAMES[provider] ?? provider} <span class="small faint">${source}</span></h3>
      ${models.length === 0
        ? html`<p class="small soft">It has no models yet.</p>`
        : models.map(
            (model) =>
              html`<div class="model">
                <code>${model}</code>
                ${this.seen?.value?.model === model
                  ? html`<span class="small good">${icons.check} answers now</span>`
                  : html`<button class="small" ?disabled=${this.busy !== ""} @click=${() => this.use(model)}>
                      ${this.busy === model ? "Setting…" : "Use this"}
                    </button>`}
              </div>`,
          )}
    </div>`;
  }

  private keyForm() {
    const names = this.seen?.value?.providers.map((provider) => provider.name) ?? Object.keys(KEY_PAGES);
    return html`<section>
      <h2>Paste a key</h2>
      <form @submit=${this.saveKey}>
        <label
          >Provider
          <select @change=${(event: Event) => (this.provider = (event.target as HTMLSelectElement).value)}>
            ${names.map(
              (name) => html`<option value=${name} ?selected=${name === this.provider}>${NAMES[name] ?? name}</option>`,
            )}
          </select>
        </label>
        <label>Key <input id="key" type="password" autocomplete="off" spellcheck="false" /></label>
        <button class="primary" ?disabled=${this.busy !== ""}>
          ${this.busy === "key" ? "Testing…" : "Test and save"}
        </button>
      </form>
      <p class="small soft">
        ${KEY_PAGES[this.provider] ? `You find one at ${KEY_PAGES[this.provider]}. ` : ""}It is tested with one small
        question, then kept on this machine, readable by you only.
      </p>
    </section>`;
  }
}
