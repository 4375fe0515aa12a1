// Times that are said as "5 min ago" stay true: all of them are said anew once a minute, by one clock.
import { AsyncDirective } from "lit/async-directive.js";
import { directive } from "lit/directive.js";
import { relative } from "./words";

const MINUTE_MS = 60_000;

const shown = new Set<Ago>();
let clock: ReturnType<typeof setInterval> | undefined;

class Ago extends AsyncDirective {
  private at = "";

  override render(at: string): string {
    this.at = at;
    if (this.isConnected) this.watch();
    return relative(at);
  }

  tick(): void {
    this.setValue(relative(this.at));
  }

  private watch(): void {
    shown.add(this);
    clock ??= setInterval(() => shown.forEach((each) => each.tick()), MINUTE_MS);
  }

  protected override disconnected(): void {
    shown.delete(this);
    if (shown.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  }

  protected override reconnected(): void {
    this.watch();
    this.tick();
  }
}

/** How long ago, or how soon, for as long as it is shown. The exact time belongs in the `title`. */
export const ago = directive(Ago);
