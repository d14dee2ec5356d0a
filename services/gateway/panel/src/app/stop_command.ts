// One press of the emergency stop: asked over both ways, again and again, until one of them confirms it.
import { Emitter } from "./emitter";

const kAgain_ms = 250;

export type StopState = "none" | "asked" | "confirmed";

/** The ways, each of which resolves with what it has to say, or rejects where it confirmed nothing. */
export type Way = () => Promise<string>;

/** Nothing is queued or counted as a repetition: every round asks again over every channel, whatever became of those before. */
export class StopCommand extends Emitter<{ state: StopState }> {
  state: StopState = "none";
  /** Who confirmed it. */
  confirmation = "";
  private timer = 0;

  constructor(
    private readonly ways: readonly Way[],
    private readonly clock: Pick<Window, "setTimeout" | "clearTimeout"> = window,
  ) {
    super();
  }

  press(): void {
    if (this.state !== "asked") this.change("asked", "");
    this.round();
  }

  /** The plant shows that it is stopped. */
  seen(): void {
    if (this.state === "asked") this.confirm("seen in a frame");
  }

  /** It is re-armed. */
  lifted(): void {
    if (this.state === "confirmed") this.change("none", "");
  }

  private round(): void {
    this.clock.clearTimeout(this.timer);
    if (this.state !== "asked") return;
    for (const way of this.ways) {
      way().then(
        (words) => this.confirm(words),
        () => undefined, // the next round asks again
      );
    }
    this.timer = this.clock.setTimeout(() => this.round(), kAgain_ms);
  }

  private confirm(words: string): void {
    if (this.state !== "asked") return;
    this.clock.clearTimeout(this.timer);
    this.change("confirmed", words);
  }

  private change(state: StopState, words: string): void {
    this.state = state;
    this.confirmation = words;
    this.emit("state", state);
  }
}
