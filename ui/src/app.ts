// The page as a whole: the rail, the view for the address, and what lies above both.
import { html, LitElement, nothing } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import "./elements/banners";
import "./elements/rail";
import "./elements/sign-in";
import { House, words } from "./house";
import { icons } from "./icons";
import { address, go, place, type Place } from "./router";
import { unread } from "./state/notices";
import { type Approval, type State, waiting } from "./state/state";
import { Watch } from "./state/store";
import { shell } from "./style/shell";
import { controls } from "./style/shared";
import "./views/overlays";
import type { Overlays } from "./views/overlays";
import { viewNamed, views } from "./views/views";
import { count } from "./words";

const LINKS = views.filter((view) => view.rail);

/** Whether the rail was put aside, kept in this browser. */
const FOLDED = "steward.folded";

@customElement("steward-app")
export class App extends LitElement {
  private readonly house = new House();
  private readonly seen = new Watch<State>(this, this.house.store, (state) => state);
  @state() private place: Place = place();
  @state() private loaded = new Set<string>();
  @state() private drawer = false;
  @state() private folded = localStorage.getItem(FOLDED) === "yes";
  @state() private signing: { busy: boolean; why: string } = { busy: false, why: usedLink() };
  @query("steward-overlays") private overlays!: Overlays;
  private welcomed = false;
  private asking: ReadonlySet<string> = new Set();

  static override styles = [controls, shell];

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener("hashchange", this.moved);
    addEventListener("keydown", this.press);
    addEventListener("online", this.back);
    document.addEventListener("visibilitychange", this.back);
    this.moved();
    this.house.connect();
  }

  override disconnectedCallback(): void {
    removeEventListener("hashchange", this.moved);
    removeEventListener("keydown", this.press);
    removeEventListener("online", this.back);
    document.removeEventListener("visibilitychange", this.back);
    super.disconnectedCallback();
  }

  private readonly moved = (): void => {
    this.place = place();
    this.drawer = false;
    const view = viewNamed(this.place.view);
    if (!view || this.loaded.has(view.name)) return;
    void view.load().then(
      () => (this.loaded = new Set(this.loaded).add(view.name)),
      () => this.house.say("This part of the page could not be fetched. Reload the page.", "bad"),
    );
  };

  /** Whoever comes back to the page should not wait for the next attempt to connect. */
  private readonly back = (): void => {
    if (!document.hidden && this.seen.value.connection === "away") this.house.connect();
  };

  private readonly press = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && this.drawer) this.drawer = false;
  };

  /** Puts the rail aside or back. */
  private fold(folded: boolean): void {
    this.folded = folded;
    localStorage.setItem(FOLDED, folded ? "yes" : "no");
  }

  private menu(): void {
    if (this.folded) this.fold(false);
    this.drawer = true;
  }

  /** The same set as long as it holds the same, so that the rail is not drawn again with every word that streams. */
  private askingIn(open: readonly Approval[]): ReadonlySet<string> {
    const next = new Set(open.map((approval) => approval.session));
    const same = next.size === this.asking.size && [...next].every((session) => this.asking.has(session));
    return same ? this.asking : (this.asking = next);
  }

  private async signIn(token: string): Promise<void> {
    this.signing = { busy: true, why: "" };
    try {
      await this.house.signIn(token);
      this.signing = { busy: false, why: "" };
    } catch (error) {
      this.signing = { busy: false, why: words(error) };
    }
  }

  /** A house without a model begins with getting one; later the way there is in the greeting. */
  private welcome(): void {
    const { settings, sessions } = this.seen.value;
    if (this.welcomed || !settings || sessions.is !== "here") return;
    this.welcomed = true;
    const begins = this.place.view === "chat" && !this.place.argument;
    if (settings.needsSetup && sessions.value.length === 0 && begins) go("setup");
  }

  override updated(): void {
    this.welcome();
    const many = waiting(this.seen.value).length;
    const view = viewNamed(this.place.view);
    const title = this.place.view === "chat" ? this.titleOf(this.place.argument) : view?.title;
    document.title = `${many > 0 ? `(${many}) ` : ""}${title ? `${title} · ` : ""}Steward`;
  }

  private titleOf(session?: string): string | undefined {
    const { sessions } = this.seen.value;
    return sessions.is === "here" ? sessions.value.find((each) => each.sessionKey === session)?.title : undefined;
  }

  override render() {
    const state = this.seen.value;
    if (state.connection === "signed-out") {
      return html`<steward-sign-in
        .why=${this.signing.why}
        .busy=${this.signing.busy}
        @sign-in=${(event: CustomEvent<{ token: string }>) => this.signIn(event.detail.token)}
      ></steward-sign-in>`;
    }
    const open = waiting(state);
    const news = unread(state.notices, state.read).length;
    return html`<a class="skip" href="#main" @click=${this.skip}>Skip to the conversation</a>
      <div class="shell" ?data-drawer=${this.drawer} ?data-folded=${this.folded}>
        <steward-rail
          .sessions=${state.sessions}
          .place=${this.place}
          .running=${state.running}
          .asking=${this.askingIn(open)}
          .waiting=${open.length}
          .unread=${news}
          .links=${LINKS}
          @fold=${() => this.fold(true)}
          @search=${() => this.overlays.show("palette")}
          @rename=${(event: CustomEvent<{ key: string; title: string }>) =>
            this.house.rename(event.detail.key, event.detail.title)}
          @archive=${(event: CustomEvent<{ key: string }>) => this.house.archive(event.detail.key, true)}
        ></steward-rail>
        <div class="veil" @click=${() => (this.drawer = false)}></div>
        <main id="main" tabindex="-1">
          <div class="bar">
            <button
              class="bare icon menu"
              aria-label=${news > 0 ? `Menu, ${count(news, "unread notice")}` : "Menu"}
              aria-expanded=${this.drawer}
              ?data-news=${news > 0}
              @click=${this.menu}
            >
              ${icons.menu}
            </button>
            <b class="grow"
              >${this.place.view === "chat" ? (this.titleOf(this.place.argument) ?? "New conversation") : ""}</b
            >
            ${open.length > 0 && !this.elsewhere(open)
              ? html`<button class="badge" @click=${() => this.overlays.show("waiting")}>
                  ${icons.wait} ${open.length} waiting
                </button>`
              : nothing}
          </div>
          <steward-banners
            .away=${state.connection === "away" || (state.connection === "connecting" && state.greeted)}
            .other=${this.elsewhere(open)}
            @retry=${() => this.house.connect()}
            @look=${() => this.overlays.show("waiting")}
          ></steward-banners>
          <div class="view">${this.view()}</div>
        </main>
      </div>
      <steward-overlays .house=${this.house}></steward-overlays>`;
  }

  private skip(event: Event): void {
    event.preventDefault();
    this.renderRoot.querySelector<HTMLElement>("#main")?.focus();
  }

  private view() {
    const view = viewNamed(this.place.view);
    if (!view)
      return html`<p class="lost">
        There is nothing at this address. <a href=${address("chat")}>Start a conversation</a>
      </p>`;
    if (!this.loaded.has(view.name)) return nothing;
    return keyed(view.name, view.draw(this.house, this.place.argument));
  }

  /** What waits in another conversation than the one that is shown. */
  private elsewhere(open: readonly Approval[]): Approval | undefined {
    const { view, argument } = this.place;
    if (view === "waiting") return undefined;
    // A task's own place has its approvals too.
    const shown = view === "chat" ? argument : view === "tasks" && argument ? `task--${argument}` : undefined;
    return open.find((approval) => approval.session !== shown);
  }
}

/** What to say to somebody who came by a link that works no more; the address forgets it. */
function usedLink(): string {
  if (location.search !== "?link=used") return "";
  history.replaceState(null, "", "/");
  return "That link was used or is too old. `steward open` makes a new one.";
}
