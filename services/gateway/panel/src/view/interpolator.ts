// Views arrive when the network likes; pictures are drawn when the screen likes. In between: a buffer, played a little
// later than it arrives.

export interface Pose7 {
  time_s: number;
  poses: ArrayLike<number>;
}

interface Entry extends Pose7 {
  /** On the local clock: when it would have arrived without jitter. */
  at_s: number;
}

export interface Played {
  /** Seven numbers for each body; reused by the next call. */
  poses: Float32Array;
  /** Of the plant, at this picture. */
  time_s: number;
  /** There is nothing newer to come: the same picture again would be the same. */
  settled: boolean;
}

const kMaxEntries = 64;
const kWindow_s = 2; // of arrivals from which the plant's clock is told from the local one
const kJump_s = 0.25;

export class Interpolator {
  private entries: Entry[] = [];
  private offsets: { at_s: number; offset_s: number }[] = [];
  private out = new Float32Array(0);

  constructor(
    /** Large enough to hide usual jitter, small enough not to be felt at the lever. */
    readonly delay_s = 0.06,
    /** The plant's time goes as fast as the local one; else arrivals are taken as they are. */
    public isRealTime = true,
  ) {}

  clear(): void {
    this.entries = [];
    this.offsets = [];
  }

  add(view: Pose7, arrival_s: number): void {
    const last = this.entries[this.entries.length - 1];
    if (last && (view.time_s < last.time_s || view.poses.length !== last.poses.length)) this.clear();
    let at_s = arrival_s;
    // A plant that stands still sends the same time again: only the arrival tells them apart.
    if (this.isRealTime && !(last && view.time_s === last.time_s)) at_s = view.time_s + this.offset(view.time_s, arrival_s);
    const newest = this.entries[this.entries.length - 1];
    if (newest && at_s <= newest.at_s) at_s = newest.at_s + 1e-6;
    this.entries.push({ time_s: view.time_s, poses: view.poses, at_s });
    if (this.entries.length > kMaxEntries) this.entries.shift();
  }

  /** What to draw at this local time; null: nothing has arrived yet. */
  play(now_s: number): Played | null {
    const entries = this.entries;
    if (entries.length === 0) return null;
    const head_s = now_s - this.delay_s;
    let next = entries.findIndex((entry) => entry.at_s > head_s);
    if (next < 0) next = entries.length;
    if (next > 1) {
      entries.splice(0, next - 1);
      next = 1;
    }
    const a = entries[0] as Entry;
    const b = next < entries.length ? (entries[next] as Entry) : null;
    if (this.out.length !== a.poses.length) this.out = new Float32Array(a.poses.length);
    // Views go on to come from a plant that stands still.
    const settled = entries.every((entry) => entry === a || sameNumbers(entry.poses, a.poses));
    if (!b || next === 0) {
      this.out.set(a.poses);
      return { poses: this.out, time_s: a.time_s, settled };
    }
    const share = (head_s - a.at_s) / (b.at_s - a.at_s);
    blend(a.poses, b.poses, share, this.out);
    return { poses: this.out, time_s: a.time_s + share * (b.time_s - a.time_s), settled };
  }

  /** Local clock minus plant time, by the arrivals that were delayed least. */
  private offset(time_s: number, arrival_s: number): number {
    const offset_s = arrival_s - time_s;
    const least = Math.min(...this.offsets.map((known) => known.offset_s));
    if (offset_s - least > kJump_s) this.offsets = []; // it was paused, or the link hung: start over
    this.offsets.push({ at_s: arrival_s, offset_s });
    while ((this.offsets[0]?.at_s ?? arrival_s) < arrival_s - kWindow_s) this.offsets.shift();
    return Math.min(...this.offsets.map((known) => known.offset_s));
  }
}

export function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

/** Positions on straight lines, quaternions on the short way round. */
export function blend(a: ArrayLike<number>, b: ArrayLike<number>, share: number, out: Float32Array): void {
  for (let i = 0; i + 6 < out.length; i += 7) {
    for (let k = i; k < i + 3; ++k) out[k] = (a[k] ?? 0) + share * ((b[k] ?? 0) - (a[k] ?? 0));
    let dot = 0;
    for (let k = i + 3; k < i + 7; ++k) dot += (a[k] ?? 0) * (b[k] ?? 0);
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let k = i + 3; k < i + 7; ++k) {
      const value = (1 - share) * (a[k] ?? 0) + share * sign * (b[k] ?? 0);
      out[k] = value;
      norm += value * value;
    }
    norm = Math.sqrt(norm) || 1;
    for (let k = i + 3; k < i + 7; ++k) out[k] = (out[k] ?? 0) / norm;
  }
}
