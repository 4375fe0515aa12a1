// One file of memory beside the list. Whatever is typed is kept in the browser until it is in the file.
// Fires `saved`, and `kept` when there is unsaved text or no more.
import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "../elements/list-states";
import "../elements/memory-conflict";
import "../elements/memory-editor";
import { Refused } from "../gateway/socket";
import { type House, words } from "../house";
import { loaded } from "../loading";
import { begin, conflicted, draftOf, type Editing, keepMine, saved, takeTheirs, typed } from "../state/editing";
import type { Loadable } from "../state/state";
import { rooms } from "../style/rooms";
import { controls } from "../style/shared";
import { keep, kept } from "./kept";

/** The file has another text by now. */
const CHANGED = -32009;

@customElement("steward-memory-sheet")
export class MemorySheet extends LitElement {
  @property({ attribute: false }) house!: House;
  @property() path = "";
  @property({ attribute: false }) lines?: readonly [number, number];
  @state() private editing: Loadable<Editing> = { is: "loading" };
  @state() private busy = false;
  private warned = false;

  static override styles = [controls, rooms];

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("path")) void this.open();
  }

  private async open(): Promise<void> {
    const { path } = this;
    this.editing = { is: "loading" };
    const file = await loaded(this.house.call("memory.read", { path }));
    if (path !== this.path) return;
    this.editing = file.is === "here" ? { is: "here", value: begin(file.value, kept(path)) } : file;
  }

  private become(editing: Editing): void {
    if (editing.path === this.path) this.editing = { is: "here", value: editing };
    const stored = keep(editing.path, draftOf(editing));
    if (!stored && !this.warned) {
      this.warned = true;
      this.house.say("This browser has no room to keep unsaved text. Save before you leave the page.", "bad");
    }
    this.dispatchEvent(new Event("kept"));
  }

  private get value(): Editing | undefined {
    return this.editing.is === "here" ? this.editing.value : undefined;
  }

  private async save(): Promise<void> {
    const before = this.value;
    if (!before || this.busy) return;
    const { path, text, hash } = before;
    this.busy = true;
    try {
      const answer = await this.house.call("memory.save", { path, text, hash });
      this.become(saved(this.current(before), text, answer.hash));
      this.dispatchEvent(new Event("saved"));
    } catch (error) {
      if (error instanceof Refused && error.code === CHANGED) await this.collide(before);
      else this.house.say(words(error), "bad");
    } finally {
      this.busy = false;
    }
  }

  private async collide(before: Editing): Promise<void> {
    await this.house.attempt(async () => {
      const theirs = await this.house.call("memory.read", { path: before.path });
      this.become(conflicted(this.current(before), theirs));
    });
  }

  /** What was typed while an answer was awaited counts, unless another file is open by now. */
  private current(before: Editing): Editing {
    return this.value?.path === before.path ? this.value : before;
  }

  private discard(editing: Editing): void {
    const { path, saved: text, hash } = editing;
    this.become(editing.theirs ? takeTheirs(editing) : begin({ path, text, hash }));
  }

  override render() {
    const { editing } = this;
    if (editing.is !== "here") {
      const draft = editing.is === "failed" ? kept(this.path) : undefined;
      return html`<steward-list-states .list=${editing} @retry=${() => this.open()}></steward-list-states>
        ${draft ? html`<h2>Your unsaved text</h2><pre class="mono">${draft.text}</pre>` : nothing}`;
    }
    const { value } = editing;
    return html`${value.theirs
        ? html`<steward-memory-conflict
            .mine=${value.text}
            .theirs=${value.theirs.text}
            @mine=${() => {
              this.become(keepMine(value));
              void this.save();
            }}
            @theirs=${() => this.become(takeTheirs(value))}
          ></steward-memory-conflict>`
        : nothing}
      <steward-memory-editor
        .editing=${value}
        .lines=${this.lines}
        .busy=${this.busy}
        @typed=${(event: CustomEvent<{ text: string }>) => this.become(typed(value, event.detail.text))}
        @save=${() => (value.theirs ? this.house.say("Choose first which text stays.") : this.save())}
        @discard=${() => this.discard(value)}
      ></steward-memory-editor>`;
  }
}
