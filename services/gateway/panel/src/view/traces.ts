// The paths that chosen bodies went.
import { Group } from "three";
import { FatLine } from "./fat_line";

const kMaxPoints = 1500;
export const kTraceColours = ["#e4572e", "#2e86de", "#17a398", "#a45ee5", "#e0a100", "#d6336c"];

interface Trace {
  line: FatLine;
  points: Float32Array;
  count: number;
}

export class Traces {
  readonly object = new Group();
  private readonly traces = new Map<number, Trace>();

  /** A point is kept when the body moved this far. */
  constructor(private readonly spacing_m: number) {}

  has(body: number): boolean {
    return this.traces.has(body);
  }

  toggle(body: number): void {
    const trace = this.traces.get(body);
    if (trace) {
      this.object.remove(trace.line.object);
      trace.line.dispose();
      this.traces.delete(body);
      return;
    }
    const colour = kTraceColours[this.traces.size % kTraceColours.length] as string;
    const line = new FatLine(kMaxPoints, colour, 2.5, 0.9);
    this.object.add(line.object);
    this.traces.set(body, { line, points: new Float32Array(3 * kMaxPoints), count: 0 });
  }

  clear(): void {
    for (const trace of this.traces.values()) {
      trace.count = 0;
      trace.line.setPoints(trace.points, 0);
    }
  }

  /** Takes the place of every chosen body. */
  add(groups: Group[]): void {
    for (const [body, trace] of this.traces) {
      const group = groups[body];
      if (!group) continue;
      const { x, y, z } = group.position;
      const { points } = trace;
      const last = 3 * (trace.count - 1);
      if (trace.count > 0 && Math.hypot(x - (points[last] ?? 0), y - (points[last + 1] ?? 0), z - (points[last + 2] ?? 0)) < this.spacing_m) continue;
      if (trace.count === kMaxPoints) {
        points.copyWithin(0, 3);
        --trace.count;
      }
      points.set([x, y, z], 3 * trace.count++);
      trace.line.setPoints(points, trace.count);
    }
  }

  setResolution(width: number, height: number): void {
    for (const trace of this.traces.values()) trace.line.setResolution(width, height);
  }

  dispose(): void {
    for (const trace of this.traces.values()) trace.line.dispose();
  }
}
