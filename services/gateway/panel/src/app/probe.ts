// window.kinloop: what tests may look at, and nobody may change.
import { PlantState } from "../generated/kinloop/v1/event_pb";
import type { Stage } from "../view/stage";
import type { Store } from "./store";

export interface Probe {
  readonly connected: boolean;
  /** "running", "paused", "estopped", ...: what the top bar says. */
  readonly state: string;
  /** Of the plant itself: "RUNNING", "PAUSED", ... */
  readonly plant: string;
  readonly step: number;
  readonly time: number;
  readonly frames: number;
  readonly role: string;
  bodyPose(name: string): number[] | null;
}

export function installProbe(store: Store, stage: Stage): void {
  const probe: Probe = Object.freeze({
    get connected() {
      return store.connected;
    },
    get state() {
      return store.condition();
    },
    get plant() {
      return PlantState[store.status?.state ?? PlantState.UNSPECIFIED] ?? "";
    },
    get step() {
      return Number(store.view?.step ?? 0n);
    },
    get time() {
      return store.view?.timeS ?? 0;
    },
    get frames() {
      return stage.frames;
    },
    get role() {
      return store.role;
    },
    bodyPose: (name: string) => stage.bodyPose(name),
  });
  Object.defineProperty(window, "kinloop", { value: probe, writable: false });
}
