// Asks what a schedule would mean while it is typed, and keeps only the answer to the latest question.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Preview } from "../gateway/orders";
import type { House } from "../house";
import { loaded } from "../loading";
import type { Loadable } from "../state/state";
import { NO_TIME, type When, written } from "../state/when";

/** Whoever types is not asked about after every letter. */
const PAUSE_MS = 200;

export class Previewing implements ReactiveController {
  when: When = NO_TIME;
  preview?: Loadable<Preview>;
  private typing?: ReturnType<typeof setTimeout>;

  constructor(
    private readonly host: ReactiveControllerHost & { house: House },
    begin: When = NO_TIME,
  ) {
    host.addController(this);
    this.begin(begin);
  }

  hostDisconnected(): void {
    clearTimeout(this.typing);
  }

  /** Starts over from another schedule. */
  begin(when: When): void {
    this.when = when;
    this.preview = undefined;
    this.ask();
  }

  /** For the events of the field. */
  readonly onWhen = ({ detail }: CustomEvent<{ when: When }>): void => {
    if (detail.when.mode !== this.when.mode) this.preview = undefined;
    this.when = detail.when;
    this.ask();
  };

  private ask(): void {
    this.host.requestUpdate();
    clearTimeout(this.typing);
    const schedule = written(this.when);
    if (schedule === undefined) {
      this.preview = undefined;
      return;
    }
    const { when } = this;
    this.typing = setTimeout(async () => {
      const preview = await loaded(this.host.house.call("jobs.preview", { schedule }));
      if (this.when !== when) return;
      this.preview = preview;
      this.host.requestUpdate();
    }, PAUSE_MS);
  }
}
