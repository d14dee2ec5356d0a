// Owns OperatorInput: deflections from -1 to 1 of sliders, keys and a gamepad become commands.
import type { Scene } from "../generated/kinloop/v1/panel_pb";
import { title } from "../app/format";

export interface Axis {
  actuator: string;
  /** In Description.actuators. */
  index: number;
  label: string;
  up: string;
  down: string;
  unit: string;
  keyUp: string;
  keyDown: string;
  /** Counted from 1, negative: turned round, 0: none. */
  gamepadAxis: number;
  lowest: number;
  highest: number;
  rest: number;
  holds: boolean;
}

const usualKeys: [string, string][] = [
  ["KeyW", "KeyS"], ["KeyD", "KeyA"], ["KeyR", "KeyF"], ["KeyE", "KeyQ"], ["KeyT", "KeyG"], ["KeyI", "KeyK"], ["KeyL", "KeyJ"],
];

/** Those of the rig; where it names none, every actuator gets one. */
export function axesOf(scene: Scene): Axis[] {
  const actuators = scene.description?.actuators ?? [];
  const named = (scene.panel?.axes ?? []).flatMap((axis): Axis[] => {
    const index = actuators.findIndex((actuator) => actuator.name === axis.actuator);
    const actuator = actuators[index];
    if (!actuator) return [];
    return [
      {
        actuator: axis.actuator, index, label: axis.label || title(axis.actuator), up: axis.up, down: axis.down, unit: actuator.unit,
        keyUp: axis.keyUp, keyDown: axis.keyDown, gamepadAxis: axis.gamepadAxis, lowest: axis.lowest, highest: axis.highest,
        rest: axis.rest, holds: axis.holds,
      },
    ];
  });
  if (named.length > 0) return named;
  return actuators.map((actuator, index) => {
    const isFinite = Number.isFinite(actuator.lower) && Number.isFinite(actuator.upper);
    const lowest = isFinite ? actuator.lower : -1;
    const highest = isFinite ? actuator.upper : 1;
    const [keyUp, keyDown] = usualKeys[index] ?? ["", ""];
    return {
      actuator: actuator.name, index, label: title(actuator.name), up: "up", down: "down", unit: actuator.unit, keyUp, keyDown,
      gamepadAxis: index < 4 ? index + 1 : 0, lowest, highest, rest: Math.min(highest, Math.max(lowest, 0)), holds: false,
    };
  });
}

/** The command at a deflection: full to either side of where it rests. */
export function commandAt(axis: Axis, deflection: number): number {
  const d = Math.max(-1, Math.min(1, deflection));
  return d >= 0 ? axis.rest + d * (axis.highest - axis.rest) : axis.rest + d * (axis.rest - axis.lowest);
}

export function deflectionAt(axis: Axis, command: number): number {
  const side = command >= axis.rest ? axis.highest - axis.rest : axis.rest - axis.lowest;
  return side === 0 ? 0 : Math.max(-1, Math.min(1, (command - axis.rest) / side));
}

const kDeadZone = 0.12;

/** Of a stick: nothing in the middle, full at the end, no jump in between. */
export function afterDeadZone(raw: number): number {
  const size = Math.abs(raw);
  if (!(size > kDeadZone)) return 0;
  return Math.sign(raw) * Math.min(1, (size - kDeadZone) / (1 - kDeadZone));
}

const kKeyRamp_1_s = 4; // a key is at full deflection after a quarter of a second
const kHoldRate_1_s = 0.6;

/** Which keys, sliders and axes of a gamepad are deflected, and by how much. */
export class OperatorInput {
  readonly deflections: number[];
  private readonly sliders: (number | null)[];
  private readonly ramped: number[];
  private readonly sticks: number[];
  private readonly keys = new Set<string>();
  private readonly locked: boolean[];

  constructor(readonly axes: Axis[]) {
    this.locked = axes.map(() => false);
    this.deflections = axes.map(() => 0);
    this.sliders = axes.map(() => null);
    this.ramped = axes.map(() => 0);
    this.sticks = axes.map(() => 0);
  }

  get anyKey(): boolean {
    return this.keys.size > 0;
  }

  knows(code: string): boolean {
    return code !== "" && this.axes.some((axis) => axis.keyUp === code || axis.keyDown === code);
  }

  press(code: string): void {
    if (this.knows(code)) this.keys.add(code);
  }

  lift(code: string): void {
    this.keys.delete(code);
  }

  /** null: let go. */
  slide(axis: number, deflection: number | null): void {
    this.sliders[axis] = deflection;
  }

  /** Raw values of the Gamepad API. */
  stick(raw: readonly number[]): void {
    this.axes.forEach((axis, i) => {
      const n = Math.abs(axis.gamepadAxis);
      this.sticks[i] = n === 0 ? 0 : Math.sign(axis.gamepadAxis) * afterDeadZone(raw[n - 1] ?? 0);
    });
  }

  /** All hands off: everything rests at once, also what otherwise holds. */
  release(): void {
    this.keys.clear();
    for (let i = 0; i < this.axes.length; ++i) {
      this.sliders[i] = null;
      this.deflections[i] = this.ramped[i] = this.sticks[i] = 0;
    }
  }

  /** Every axis rests until it was let go once: what is held now must not move the machine later. */
  lock(): void {
    this.locked.fill(true);
  }

  step(dt_s: number): void {
    this.axes.forEach((axis, i) => {
      const wanted = (this.keys.has(axis.keyUp) ? 1 : 0) - (this.keys.has(axis.keyDown) ? 1 : 0);
      if (this.locked[i]) {
        this.locked[i] = wanted !== 0 || this.sticks[i] !== 0 || this.sliders[i] !== null;
        this.deflections[i] = this.ramped[i] = 0;
        return;
      }
      const most = kKeyRamp_1_s * dt_s;
      const now = this.ramped[i] ?? 0;
      // Letting go is at once: only the way up is gentle.
      const ramped = wanted === 0 ? 0 : now * wanted < 0 ? 0 : now + Math.max(-most, Math.min(most, wanted - now));
      this.ramped[i] = ramped;
      const stick = this.sticks[i] ?? 0;
      const slider = this.sliders[i];
      if (slider !== null && slider !== undefined) this.deflections[i] = slider;
      else if (axis.holds) {
        const push = Math.abs(stick) > Math.abs(wanted) ? stick : wanted;
        this.deflections[i] = Math.max(-1, Math.min(1, (this.deflections[i] ?? 0) + push * kHoldRate_1_s * dt_s));
      } else this.deflections[i] = Math.abs(stick) > Math.abs(ramped) ? stick : ramped;
    });
  }

  command(actuator: string): number | null {
    const i = this.axes.findIndex((axis) => axis.actuator === actuator);
    const axis = this.axes[i];
    return axis ? commandAt(axis, this.deflections[i] ?? 0) : null;
  }

  atRest(actuator: string): boolean {
    const i = this.axes.findIndex((axis) => axis.actuator === actuator);
    return (this.deflections[i] ?? 0) === 0;
  }
}
