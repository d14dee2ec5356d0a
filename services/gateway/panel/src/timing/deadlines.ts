// Whether the plant keeps its deadlines, in plain words.
import { Mode } from "../generated/kinloop/v1/describe_pb";
import type { Timing } from "../generated/kinloop/v1/event_pb";
import { count, duration, number } from "../app/format";

export interface Verdict {
  tone: "good" | "warn" | "bad" | "none";
  short: string;
  /** In a few words, by what margin. */
  margin: string;
  long: string;
}

const kTight = 0.1; // of the period: less slack than this is worth a word

/** Where nothing new arrives: what was true then says nothing of now. */
export const unheard: Verdict = { tone: "none", short: "Not known", margin: "", long: "Nothing new arrives from the plant." };

export function verdictOf(timing: Timing | null, mode: Mode): Verdict {
  if (mode === Mode.LOCKSTEP || mode === Mode.FREE) {
    const how = mode === Mode.FREE ? "runs as fast as it can" : "waits for its controller";
    return { tone: "none", short: "No deadlines", margin: how, long: `The plant ${how}: there are no deadlines to keep.` };
  }
  if (!timing || timing.steps === 0n) return { tone: "none", short: "Not timed yet", margin: "", long: "There are no times yet." };
  const steps = Number(timing.steps);
  const overruns = Number(timing.overruns);
  const period_ns = Number(timing.periodNs);
  if (overruns === 0) {
    const slack_ns = Number(timing.slackNs?.min ?? 0n);
    const share = period_ns > 0 ? slack_ns / period_ns : 0;
    const tight = share < kTight;
    return {
      tone: tight ? "warn" : "good",
      short: tight ? "Barely keeps deadlines" : "Keeps its deadlines",
      margin: `slack ${percent(share)}`,
      long:
        `The plant keeps its deadlines${tight ? ", barely" : ""}: none of ${count(steps)} steps was late; ` +
        `the tightest had ${duration(slack_ns)} of ${duration(period_ns)} left (${percent(share)}).`,
    };
  }
  const share = overruns / Math.max(1, steps);
  const worst_ns = Math.max(0, ...timing.worst.map((step) => Number(step.wakeupNs + step.executionNs)));
  const byHowMuch = worst_ns > period_ns ? `; the worst took ${duration(worst_ns)} of ${duration(period_ns)}` : "";
  return {
    tone: "bad",
    short: `${count(overruns)} ${overruns === 1 ? "step was" : "steps were"} late`,
    margin: percent(share),
    long:
      `The plant missed ${overruns === 1 ? "a deadline" : "deadlines"}: ${count(overruns)} of ${count(steps)} steps ` +
      `ended late (${percent(share)})${byHowMuch}.`,
  };
}

function percent(share: number): string {
  return `${number(100 * share, share >= 0.1 || share === 0 ? 2 : 2)}\u202f%`;
}
