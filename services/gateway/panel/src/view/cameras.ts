// Where the picture is taken from.
import { type PerspectiveCamera, type Quaternion, Vector3 } from "three";
import type { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "../generated/kinloop/v1/panel_pb";

export interface Preset {
  id: string;
  label: string;
  from: Vector3;
  to: Vector3;
  /** The body that it moves along with; empty: the world. */
  follows: string;
}

const kFit = 1.25; // of the mechanism's size, so that it has room to move
const kFlight_ms = 350;

function vector(values: number[]): Vector3 {
  return new Vector3(values[0] ?? 0, values[1] ?? 0, values[2] ?? 0);
}

const directions: [string, string, [number, number, number]][] = [
  ["iso", "Iso", [0.8, -1, 0.55]],
  ["front", "Front", [1, 0, 0.08]],
  ["side", "Side", [0, -1, 0.08]],
  ["top", "Top", [0, -0.001, 1]],
];

/** Those of the rig first, then the usual ones; in the picture, into which the world is turned so that z is up. */
export function presetsOf(scene: Scene, turn: Quaternion, fieldOfView_deg: number): Preset[] {
  const own = (scene.panel?.cameras ?? []).map((camera, i) => ({
    id: `rig-${i}`,
    label: camera.name,
    from: vector(camera.from).applyQuaternion(turn),
    to: vector(camera.to).applyQuaternion(turn),
    follows: camera.follows,
  }));
  const centre = vector(scene.centre).applyQuaternion(turn);
  const distance = (kFit * Math.max(0.05, scene.sizeM)) / (2 * Math.tan((fieldOfView_deg * Math.PI) / 360));
  const usual = directions.map(([id, label, direction]) => ({
    id,
    label,
    from: centre.clone().addScaledVector(vector(direction).normalize(), distance),
    to: centre.clone(),
    follows: "",
  }));
  return [...own, ...usual];
}

/** Flies to presets and follows bodies. */
export class CameraFlight {
  private flight: { start_ms: number; from: [Vector3, Vector3]; to: [Vector3, Vector3] } | null = null;
  private followed: Vector3 | null = null;

  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly controls: OrbitControls,
  ) {}

  go(from: Vector3, to: Vector3, now_ms: number, atOnce: boolean): void {
    this.followed = null;
    if (atOnce) {
      this.flight = null;
      this.camera.position.copy(from);
      this.controls.target.copy(to);
      return;
    }
    this.flight = {
      start_ms: now_ms,
      from: [this.camera.position.clone(), this.controls.target.clone()],
      to: [from.clone(), to.clone()],
    };
  }

  /** Whether it moved. */
  update(now_ms: number, body: Vector3 | null): boolean {
    let moved = false;
    if (this.flight) {
      const s = Math.min(1, (now_ms - this.flight.start_ms) / kFlight_ms);
      const eased = s * s * (3 - 2 * s);
      this.camera.position.lerpVectors(this.flight.from[0], this.flight.to[0], eased);
      this.controls.target.lerpVectors(this.flight.from[1], this.flight.to[1], eased);
      if (s >= 1) this.flight = null;
      moved = true;
    }
    if (body) {
      if (this.followed && !this.flight) {
        const step = body.clone().sub(this.followed);
        this.camera.position.add(step);
        this.controls.target.add(step);
        moved = moved || step.lengthSq() > 0;
      }
      this.followed = body.clone();
    }
    return moved || this.flight !== null;
  }
}
