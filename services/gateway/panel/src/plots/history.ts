// The last two minutes of every signal.
import type { Store } from "../app/store";
import type { Scene, View } from "../generated/kinloop/v1/panel_pb";
import { Ring } from "./ring";

export interface Signal {
  name: string;
  unit: string;
  ring: Ring;
  column: number;
}

const kMax_s = 120;
const kSampleRate_hz = 250;
const kViewRate_hz = 60;
const kMaxNumbers = 4_000_000; // of all rings together, some 16 MB

export class History {
  signals: Signal[] = [];
  now_s = 0;
  onChange: () => void = () => {};
  private samples = new Ring(0, 1);
  private views = new Ring(0, 1);
  private row: number[] = [];

  constructor(store: Store) {
    store.on("scene", (scene) => this.setScene(scene));
    store.on("view", (view) => this.add(view));
  }

  find(name: string): Signal | undefined {
    return this.signals.find((signal) => signal.name === name);
  }

  private setScene(scene: Scene): void {
    const signals = namesOf(scene);
    const same = signals.length === this.signals.length && signals.every((signal, i) => signal.name === this.signals[i]?.name);
    if (same) return;
    const sensors = scene.description?.sensors.length ?? 0;
    const others = signals.length - sensors;
    const rows = (columns: number, rate: number): number => Math.max(100, Math.min(kMax_s * rate, Math.floor(kMaxNumbers / 2 / Math.max(1, columns))));
    this.samples = new Ring(sensors, rows(sensors, kSampleRate_hz));
    this.views = new Ring(others, rows(others, kViewRate_hz));
    this.signals = signals.map((signal, i) =>
      i < sensors ? { ...signal, ring: this.samples, column: i } : { ...signal, ring: this.views, column: i - sensors },
    );
    this.onChange();
  }

  private add(view: View): void {
    for (const sample of view.samples) this.samples.push(sample.timeS, sample.values);
    this.row.length = 0;
    this.row.push(...view.commands, ...view.q, ...view.u);
    this.views.push(view.timeS, this.row);
    this.now_s = view.timeS;
  }
}

/** Sensors, then commands, coordinates and speeds, as their values come in views. */
export function namesOf(scene: Scene): { name: string; unit: string }[] {
  const description = scene.description;
  if (!description) return [];
  const linear = new Set(scene.joints.filter((joint) => joint.type === "prismatic").map((joint) => joint.name));
  const turning = new Set(scene.joints.filter((joint) => joint.type === "revolute").map((joint) => joint.name));
  const unit = (name: string, ofLength: string, ofAngle: string): string => {
    const joint = name.replace(/^[qu]\./, "");
    return linear.has(joint) ? ofLength : turning.has(joint) ? ofAngle : "";
  };
  const prefixed = (prefix: string, name: string): string => (name.startsWith(prefix) ? name : prefix + name);
  return [
    ...description.sensors.map((sensor) => ({ name: `sensor.${sensor.name}`, unit: sensor.unit })),
    ...description.actuators.map((actuator) => ({ name: `command.${actuator.name}`, unit: actuator.unit })),
    ...description.coordinates.map((name) => ({ name: prefixed("q.", name), unit: unit(name, "m", "rad") })),
    ...description.speeds.map((name) => ({ name: prefixed("u.", name), unit: unit(name, "m/s", "rad/s") })),
  ];
}
