// Runs of late steps as one line each: what repeats is counted, not listed.
import type { Event } from "../generated/kinloop/v1/event_pb";
import { sentenceOf } from "./event_text";
import { count, duration } from "./format";

/** Events of one line: the newest, and what it counts. */
export interface Fold {
  newest: Event;
  times: number;
  /** The largest value among them: of an overrun, nanoseconds. */
  largest: bigint;
}

const folding = new Set(["overrun"]);

/** Whether the event belongs to the line. */
export function belongsTo(fold: Fold | undefined, event: Event): boolean {
  return fold !== undefined && folding.has(event.kind) && fold.newest.kind === event.kind;
}

export function foldOf(event: Event): Fold {
  return { newest: event, times: 1, largest: event.value };
}

export function addTo(fold: Fold, event: Event): void {
  fold.newest = event;
  ++fold.times;
  if (event.value > fold.largest) fold.largest = event.value;
}

/** Oldest first, as the events are. */
export function foldsOf(events: readonly Event[]): Fold[] {
  const folds: Fold[] = [];
  for (const event of events) {
    const last = folds[folds.length - 1];
    if (last && belongsTo(last, event)) addTo(last, event);
    else folds.push(foldOf(event));
  }
  return folds;
}

export function sentenceOfFold({ newest, times, largest }: Fold): string {
  if (times === 1) return sentenceOf(newest);
  return `${count(times)} steps ended too late, by ${duration(Number(largest))} at most.`;
}
