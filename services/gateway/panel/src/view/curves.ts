// Points of ropes and springs between two ends.

/** A rope of 24 pieces; a slack one sags by a tenth of its span and a bit, since its true length is not told. */
export const kRopePoints = 25;
export function ropePoints(a: number[], b: number[], slack: boolean, out: Float32Array): number {
  const span = Math.hypot((b[0] ?? 0) - (a[0] ?? 0), (b[1] ?? 0) - (a[1] ?? 0), (b[2] ?? 0) - (a[2] ?? 0));
  const sag = slack ? 0.12 * span : 0;
  for (let i = 0; i < kRopePoints; ++i) {
    const s = i / (kRopePoints - 1);
    for (let k = 0; k < 3; ++k) out[3 * i + k] = (a[k] ?? 0) + s * ((b[k] ?? 0) - (a[k] ?? 0));
    out[3 * i + 2] = (out[3 * i + 2] ?? 0) - 4 * sag * s * (1 - s);
  }
  return kRopePoints;
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

function cross(a: number[], b: number[]): number[] {
  const [ax = 0, ay = 0, az = 0] = a;
  const [bx = 0, by = 0, bz = 0] = b;
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}
