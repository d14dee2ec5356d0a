// What the page knows about the plant, newest first in line; everything drawn is drawn from here.
import type { ActiveFault, Event, Status, Timing } from "../generated/kinloop/v1/event_pb";
import { PlantState } from "../generated/kinloop/v1/event_pb";
import type { ActuatorReply } from "../generated/kinloop/v1/frames_pb";
import { FrameFlag } from "../generated/kinloop/v1/frames_pb";
import type { NamedSnapshot, PageMessage, Scene, View } from "../generated/kinloop/v1/panel_pb";
import type { Link, LinkState } from "../net/link";
import { Emitter } from "./emitter";
import { StopLatch } from "./safety";

const kMaxEvents = 1000;
const kStaleAfter_s = 1.0; // views come at up to 60 Hz, at least a few a second
const kSilentAfter_s = 2.5;

export type Condition =
  | "disconnected" | "silent" | "dead" | "ended" | "starting" | "estopped" | "faulted" | "frozen" | "paused" | "safe" | "running";

type StoreEvents = {
  link: LinkState;
  scene: Scene;
  view: View;
  status: Status;
  timing: Timing;
  event: Event;
  events: null;
  snapshots: NamedSnapshot[];
  refusal: ActuatorReply;
  latch: boolean;
};

export class Store extends Emitter<StoreEvents> {
  scene: Scene | null = null;
  view: View | null = null;
  /** When the view arrived, on performance.now(). */
  viewAt_ms = -Infinity;
  /** When anything arrived. */
  messageAt_ms = -Infinity;
  status: Status | null = null;
  timing: Timing | null = null;
  /** The first timing after the page came: differences are taken from it. */
  firstTiming: Timing | null = null;
  /** Oldest first, at most a thousand. */
  readonly events: Event[] = [];
  snapshots: NamedSnapshot[] = [];
  readonly latch = new StopLatch();
  linkState: LinkState = "connecting";

  constructor(link: Link) {
    super();
    link.on("state", (state) => {
      this.linkState = state;
      this.emit("link", state);
    });
    link.on("message", (message) => this.take(message));
  }

  get role(): string {
    return this.scene?.role ?? "";
  }

  /** Until the scene tells, nobody is taken for one. */
  get isInstructor(): boolean {
    return this.role === "admin";
  }

  /** Faults that were injected, for those who may know. */
  get shownFaults(): ActiveFault[] {
    return this.isInstructor ? (this.status?.faults ?? []) : [];
  }

  get connected(): boolean {
    return this.linkState === "connected";
  }

  get flags(): number {
    return this.view?.flags ?? 0;
  }

  /** The one thing about the plant that matters most now. */
  condition(now_ms = performance.now()): Condition {
    if (this.linkState !== "connected") return "disconnected";
    const state = this.status?.state ?? PlantState.UNSPECIFIED;
    if (state === PlantState.DEAD) return "dead";
    if (state === PlantState.ENDED) return "ended";
    if (this.latch.latched) return "estopped";
    if ((this.flags & FrameFlag.FAULTED) !== 0) return "faulted";
    if (state === PlantState.STARTING) return "starting";
    if ((now_ms - this.messageAt_ms) / 1000 > kSilentAfter_s) return "silent";
    if (state === PlantState.PAUSED) return "paused";
    if ((now_ms - this.viewAt_ms) / 1000 > kStaleAfter_s && this.view) return "silent";
    if ((this.flags & FrameFlag.FROZEN) !== 0) return "frozen";
    if ((this.flags & FrameFlag.STALE) !== 0) return "safe";
    return "running";
  }

  private take(message: PageMessage): void {
    this.messageAt_ms = performance.now();
    const what = message.what;
    switch (what.case) {
      case "scene":
        this.takeScene(what.value);
        return;
      case "view":
        this.view = what.value;
        this.viewAt_ms = performance.now();
        this.takeLatch(what.value);
        this.emit("view", what.value);
        return;
      case "status":
        this.status = what.value;
        this.emit("status", what.value);
        return;
      case "timing":
        if (!this.firstTiming || what.value.steps < this.firstTiming.steps) this.firstTiming = what.value;
        this.timing = what.value;
        this.emit("timing", what.value);
        return;
      case "event":
        this.takeEvent(what.value);
        return;
      case "snapshots":
        this.snapshots = what.value.snapshots;
        this.emit("snapshots", this.snapshots);
        return;
      case "refusal":
        this.emit("refusal", what.value);
        return;
      default:
        return;
    }
  }

  private takeScene(scene: Scene): void {
    const isOther = this.scene?.description?.plantHash !== scene.description?.plantHash;
    this.scene = scene;
    if (isOther) this.firstTiming = null;
    this.emit("scene", scene);
  }

  private takeLatch(view: View): void {
    const before = this.latch.latched;
    this.latch.take(view);
    if (this.latch.latched !== before) this.emit("latch", this.latch.latched);
  }

  private takeEvent(event: Event): void {
    // After a new connection the gateway may tell again what is known already.
    const known = this.events.some((other) => other.sequence === event.sequence && other.timeNs === event.timeNs);
    if (known) return;
    this.events.push(event);
    if (this.events.length > kMaxEvents) this.events.splice(0, this.events.length - kMaxEvents);
    this.emit("event", event);
  }

  clearEvents(): void {
    this.events.length = 0;
    this.emit("events", null);
  }
}
