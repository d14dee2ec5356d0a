// No more points than pixels, no peak lost: two points for each bucket of time, its least and its largest value in the
// order in which they came. Buckets are fixed in time, so that a course that moves does not shimmer, and are the same for
// all rings.
import type { Ring } from "./ring";

export interface Grid {
  first: number;
  count: number;
  width: number;
}

export function gridOf(from: number, to: number, buckets: number): Grid {
  const width = Math.max(1e-9, (to - from) / buckets);
  const first = Math.floor(from / width);
  return { first, count: Math.ceil(to / width) - first + 1, width };
}

export function gridTimes({ first, count, width }: Grid): number[] {
  const times = new Array<number>(2 * count);
  for (let i = 0; i < count; ++i) {
    times[2 * i] = (first + i) * width;
    times[2 * i + 1] = (first + i + 0.5) * width;
  }
  return times;
}

export function thinOut(ring: Ring, column: number, grid: Grid): (number | null)[] {
  const out = new Array<number | null>(2 * grid.count).fill(null);
  let i = ring.find(grid.first * grid.width);
  for (let bucket = 0; bucket < grid.count && i < ring.length; ++bucket) {
    const end = (grid.first + bucket + 1) * grid.width;
    let least = Infinity;
    let most = -Infinity;
    let leastFirst = true;
    for (; i < ring.length && ring.time(i) < end; ++i) {
      const value = ring.value(i, column);
      if (value < least) {
        least = value;
        leastFirst = false;
      }
      if (value > most) {
        most = value;
        leastFirst = true;
      }
    }
    if (least > most) continue;
    out[2 * bucket] = leastFirst ? least : most;
    if (least !== most) out[2 * bucket + 1] = leastFirst ? most : least;
  }
  return out;
}
