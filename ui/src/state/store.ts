// Holds the state and tells whoever shows it, at most once a frame: two hundred pieces of text a second are
// still only sixty pictures.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { reduce } from "./reduce";
import { type Input, START, type State } from "./state";

export class Store {
  state: State = START;
  private readonly listeners = new Set<() => void>();
  private told = true;

  dispatch(input: Input): void {
    const next = reduce(this.state, input);
    if (next === this.state) return;
    this.state = next;
    if (!this.told) return;
    this.told = false;
    const tell = () => {
      if (this.told) return;
      this.told = true;
      for (const listener of this.listeners) listener();
    };
    requestAnimationFrame(tell);
    // A page that is not seen gets no frames, but its title still counts what waits.
    if (document.hidden) setTimeout(tell, 100);
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Draws its host again when what it picked from the state is another. */
export class Watch<T> implements ReactiveController {
  value: T;
  private stop?: () => void;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly store: Store,
    private readonly pick: (state: State) => T,
  ) {
    this.value = pick(store.state);
    host.addController(this);
  }

  hostConnected(): void {
    this.look();
    this.stop = this.store.listen(() => this.look());
  }

  hostDisconnected(): void {
    this.stop?.();
  }

  private look(): void {
    const next = this.pick(this.store.state);
    if (next === this.value) return;
    this.value = next;
    this.host.requestUpdate();
  }
}
