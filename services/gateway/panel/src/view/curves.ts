// Points of ropes and springs between two ends.

/** A rope of 24 pieces that is `length_m` long: straight where that is too short for the span, else a catenary. */
export const kRopePoints = 25;
export function ropePoints(a: number[], b: number[], length_m: number, down: number[], out: Float32Array): number {
  const d = [0, 1, 2].map((k) => (b[k] ?? 0) - (a[k] ?? 0));
  const fall = dot(d, down);
  const level = d.map((value, k) => value - fall * (down[k] ?? 0));
  const span = Math.hypot(...d);
  const isSlack = length_m > span * (1 + 1e-6);
  const hang = isSlack ? catenary(Math.hypot(...level), -fall, length_m) : null;
  for (let i = 0; i < kRopePoints; ++i) {
    const s = i / (kRopePoints - 1);
    const [along, rise] = hang ? hang(s) : [s, -s * fall];
    for (let k = 0; k < 3; ++k) out[3 * i + k] = (a[k] ?? 0) + along * (level[k] ?? 0) - rise * (down[k] ?? 0);
  }
  return kRopePoints;
}

/** Share of the way across and height at a share of the length; `rise` from one end to the other. */
function catenary(across: number, rise: number, length: number): (s: number) => [number, number] {
  const width = Math.max(across, 1e-4 * length); // ends above each other hang like ends close to it
  const x = half(Math.sqrt(length * length - rise * rise) / width);
  const scale = width / (2 * x);
  const lowest = width / 2 - scale * Math.atanh(rise / length);
  const start = Math.sinh(-lowest / scale);
  return (s) => {
    const u = Math.asinh((s * length) / scale + start);
    return [(lowest + scale * u) / width, scale * (Math.cosh(u) - Math.cosh(lowest / scale))];
  };
}

/** The x with sinh(x) / x = ratio, of a ratio above 1. */
function half(ratio: number): number {
  let x = ratio < 3 ? Math.sqrt(6 * (ratio - 1)) : Math.log(2 * ratio) + Math.log(Math.log(2 * ratio));
  for (let i = 0; i < 12; ++i) {
    const value = Math.log(Math.sinh(x) / x) - Math.log(ratio);
    x = Math.max(1e-6, x - value / (1 / Math.tanh(x) - 1 / x));
  }
  return x;
}

/** A coil of ten turns with straight ends. */
const kTurns = 10;
const kPerTurn = 14;
export const kSpringPoints = kTurns * kPerTurn + 3;
export function springPoints(a: number[], b: number[], radius: number, out: Float32Array): number {
  const d = [0, 1, 2].map((k) => (b[k] ?? 0) - (a[k] ?? 0));
  const length = Math.hypot(...d) || 1e-9;
  const n = d.map((value) => value / length);
  const helper = Math.abs(n[2] ?? 0) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const e1 = cross(n, helper);
  const norm = Math.hypot(...e1) || 1;
  for (let k = 0; k < 3; ++k) e1[k] = (e1[k] ?? 0) / norm;
  const e2 = cross(n, e1);
  let at = 0;
  const push = (s: number, angle: number, r: number): void => {
    for (let k = 0; k < 3; ++k) {
      out[at++] = (a[k] ?? 0) + s * (d[k] ?? 0) + r * (Math.cos(angle) * (e1[k] ?? 0) + Math.sin(angle) * (e2[k] ?? 0));
    }
  };
  push(0, 0, 0);
  for (let i = 0; i <= kTurns * kPerTurn; ++i) {
    push(0.12 + (0.76 * i) / (kTurns * kPerTurn), (2 * Math.PI * i) / kPerTurn, radius);
  }
  push(1, 0, 0);
  return at / 3;
}

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0);
}

function cross(a: number[], b: number[]): number[] {
  const [ax = 0, ay = 0, az = 0] = a;
  const [bx = 0, by = 0, bz = 0] = b;
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}
