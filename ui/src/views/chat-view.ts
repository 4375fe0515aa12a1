// A conversation: its head, what was said, and the field to say more. Without a session it is the beginning of one.
import { html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import "../elements/input-bar";
import type { InputBar } from "../elements/input-bar";
import "../elements/message-list";
import type { MessageList } from "../elements/message-list";
import type { NoticeInfo } from "../gateway/orders";
import { type House, newId } from "../house";
import { isAbove, isTyping } from "../keys";
import { address, go } from "../router";
import { type Conversation, type Sent, type State, waiting } from "../state/state";
import { status } from "../state/status";
import { Watch } from "../state/store";
import { chat } from "../style/chat";
import { controls } from "../style/shared";
import { drop, keep, kept } from "./drafts";

const COMMANDS = [
  { name: "new", does: "begin another conversation" },
  { name: "stop", does: "stop Steward" },
  { name: "rename", does: "give this conversation a title …" },
  { name: "archive", does: "put this conversation away" },
  { name: "model", does: "answer the next message with provider/model …" },
];

/** Those that make sense before there is a conversation. */
const ANYWHERE = COMMANDS.filter(({ name }) => name === "model");

@customElement("steward-chat-view")
export class ChatView extends LitElement {
  @property({ attribute: false }) house!: House;
  @property() session?: string;
  @state() private text = "";
  @state() private model?: string;
  @query("steward-input-bar") private field?: InputBar;
  @query("steward-message-list") private list?: MessageList;
  private seen?: Watch<State>;
  private notices: readonly NoticeInfo[] = [];

  static override styles = [controls, chat];

  override connectedCallback(): void {
    super.connectedCallback();
    this.seen ??= new Watch(this, this.house.store, (state) => state);
    addEventListener("keydown", this.press);
    document.addEventListener("visibilitychange", this.look);
  }

  override disconnectedCallback(): void {
    removeEventListener("keydown", this.press);
    document.removeEventListener("visibilitychange", this.look);
    super.disconnectedCallback();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has("session")) return;
    this.text = kept(this.session);
    this.model = undefined;
    if (this.session) void this.house.open(this.session);
  }

  override updated(changed: Map<string, unknown>): void {
    this.look();
    // On a phone the keyboard would cover what was opened.
    if ((changed.has("session") || changed.has("house")) && !matchMedia("(pointer: coarse)").matches)
      this.field?.focus();
  }

  /** What was told here is read once somebody looks. */
  private readonly look = (): void => {
    if (this.session && !document.hidden) this.house.noticed(this.session);
  };

  private readonly press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || isAbove(event)) return;
    if (event.key === "Escape" && this.running) void this.house.stop(this.session ?? "");
    else if (event.key === "/" && !isTyping(event)) {
      event.preventDefault();
      this.field?.focus();
    }
  };

  private get state(): State {
    return this.house.store.state;
  }

  private get running(): string | undefined {
    return this.session ? this.state.running[this.session] : undefined;
  }

  private write(text: string): void {
    this.text = text;
    keep(this.session, text);
  }

  private send(text: string, again?: Sent): void {
    const session = this.session ?? `web--${newId()}`;
    void this.house.send(session, text, again, this.model);
    this.model = undefined;
    if (!this.session) {
      drop(undefined);
      go("chat", session);
    }
    void this.updateComplete.then(() => this.list?.toEnd());
  }

  private edit(text: string): void {
    this.write(text);
    this.field?.focus();
  }

  private editLast(): void {
    const said = this.conversation?.turns.flatMap((turn) => turn.steps).findLast((step) => step.kind === "said");
    if (said?.kind === "said") this.edit(said.text);
  }

  private command({ name, argument }: { name: string; argument: string }): void {
    const { house, session } = this;
    if (name === "new") go("chat");
    else if (name === "model") {
      this.model = argument || undefined;
      if (argument) house.say(`${argument} answers the next message.`);
    } else if (!session) house.say("Say something first; then there is a conversation.");
    else if (name === "stop") void house.stop(session);
    else if (name === "rename" && argument) void house.rename(session, argument);
    else if (name === "archive") void house.archive(session, true).then(() => go("chat"));
  }

  private takeBack({ sent, edit }: { sent: Sent; edit?: boolean }): void {
    void this.house.takeBack(this.session ?? "", sent);
    if (edit) this.edit(sent.text);
  }

  /** The same list as long as it holds the same, so that nothing is drawn anew with every word that streams. */
  private told({ notices }: State): readonly NoticeInfo[] {
    const next = notices.filter((notice) => notice.sessionKey === this.session);
    const same = next.length === this.notices.length && next.every((notice, index) => notice === this.notices[index]);
    return same ? this.notices : (this.notices = next);
  }

  private get conversation(): Conversation | undefined {
    return this.session ? this.state.conversations[this.session] : undefined;
  }

  override render() {
    const { conversation, state } = this;
    const busy = this.running !== undefined;
    return html`<div class="chat" ?data-new=${!conversation}>
      ${conversation ? this.head(state) : nothing}
      ${conversation
        ? html`<steward-message-list
            .conversation=${conversation}
            .notices=${this.told(state)}
            .live=${state.live}
            .approvals=${state.approvals}
            @older=${() =>
              conversation.turns.length > 0 ? this.house.older(conversation.key) : this.house.open(conversation.key)}
            @again=${(event: CustomEvent<{ sent: Sent }>) => this.send(event.detail.sent.text, event.detail.sent)}
            @take-back=${(event: CustomEvent<{ sent: Sent; edit?: boolean }>) => this.takeBack(event.detail)}
            @edit=${(event: CustomEvent<{ text: string }>) => this.edit(event.detail.text)}
            @resend=${(event: CustomEvent<{ text: string }>) => this.send(event.detail.text)}
            @approve=${this.house.onApprove}
            @deny=${this.house.onDeny}
          ></steward-message-list>`
        : this.greeting(state)}
      <steward-input-bar
        .text=${this.text}
        .busy=${busy}
        .note=${this.note(state, busy)}
        .commands=${this.session ? COMMANDS : ANYWHERE}
        @draft=${(event: CustomEvent<{ text: string }>) => this.write(event.detail.text)}
        @send=${(event: CustomEvent<{ text: string }>) => this.send(event.detail.text)}
        @command=${(event: CustomEvent<{ name: string; argument: string }>) => this.command(event.detail)}
        @stop=${() => this.house.stop(this.session ?? "")}
        @edit-last=${this.editLast}
      ></steward-input-bar>
      <div class="unseen" role="status" aria-live="polite">${this.spoken(state)}</div>
    </div>`;
  }

  private note(state: State, busy: boolean): string {
    if (this.model) return `The next message goes to ${this.model}.`;
    if (state.connection !== "open") return "Not connected. What you send goes out when Steward is back.";
    return busy && this.text.trim() ? "Steward is at work; this waits until it is done." : "";
  }

  private head(state: State) {
    const known =
      state.sessions.is === "here" ? state.sessions.value.find((each) => each.sessionKey === this.session) : undefined;
    const model = this.conversation?.turns.findLast((turn) => turn.model)?.model ?? state.settings?.model ?? "";
    const asks = waiting(state).some((approval) => approval.session === this.session);
    return html`<header>
      <h1 title=${known?.title ?? ""}>${known?.title || "New conversation"}</h1>
      ${model ? html`<span class="model small faint">${model}</span>` : nothing}
      ${asks
        ? html`<span class="small warn">waits for you</span>`
        : this.running
          ? html`<span class="live small"><i></i>live</span>`
          : nothing}
    </header>`;
  }

  private greeting(state: State) {
    return html`<div class="greeting">
      <h1>What shall Steward do?</h1>
      ${state.settings?.needsSetup
        ? html`<p>
            No model is set up yet, so a small offline helper answers. <a href=${address("setup")}>Set up a model</a>
          </p>`
        : html`<p class="soft">
            Ask a question, or hand over a job. Steward asks before it does anything that matters.
          </p>`}
    </div>`;
  }

  /** What somebody who cannot see the page is told: what Steward does, and that it is done. */
  private spoken(state: State): string {
    const turn = this.conversation?.turns.at(-1);
    if (!turn) return "";
    if (turn.outcome) return turn.outcome.status === "completed" ? "Steward has answered." : "Steward has stopped.";
    const asks = waiting(state).some((approval) => approval.turn === turn.id);
    return status(turn, state.live[turn.id], asks)?.text ?? "";
  }
}
