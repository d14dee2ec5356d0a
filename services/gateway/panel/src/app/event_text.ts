// Events as sentences. Those of the plant come as a kind and a number only.
import type { Event } from "../generated/kinloop/v1/event_pb";
import { count, duration } from "./format";

export type Weight = "bad" | "warn" | "good" | "info";

const weights: Record<string, Weight> = {
  overrun: "warn", overrun_limit: "bad", step_failed: "bad", plant_died: "bad", made_safe: "bad", stale: "warn",
  lease_expired: "warn", level_changed: "warn", solver_warning: "warn", fault: "warn", changed: "warn", rearmed: "good", fresh: "good",
  resumed: "good", started: "good",
};

export function weightOf(kind: string): Weight {
  return weights[kind] ?? "info";
}

/** What the instructor prepares is for the trainee to find out. */
const instructorsKinds = new Set(["fault", "changed", "parameters", "note"]);

export function isForTrainees(kind: string): boolean {
  return !instructorsKinds.has(kind);
}

/** Kinds that policies of the rig cause, not people. */
export const kPolicyKinds = ["overrun", "overrun_limit", "level_changed", "step_failed", "stale", "fresh", "plant_died"];

export function sentenceOf(event: Event): string {
  if (event.text !== "") return event.text;
  switch (event.kind) {
    case "overrun":
      return `A step ended ${duration(Number(event.value))} too late.`;
    case "level_changed":
      return `The solver works at level ${event.value}.`;
    case "stale":
      return "Commands are too old: actuators are made safe.";
    case "fresh":
      return "All actuators are commanded again.";
    case "step_failed":
      return "The step failed.";
    case "overrun_limit":
      return `Too many steps ended too late: ${count(event.value)}.`;
    case "made_safe":
      return "Emergency stop: all actuators are safe until they are re-armed.";
    case "rearmed":
      return "Actuators are re-armed.";
    case "reset":
      return "Reset to its first state.";
    case "restored":
      return `Goes on from a snapshot of step ${count(event.value)}.`;
    case "parameters":
      return "Other parameters are in force.";
    case "changed":
      return "Faults, overrides or forces changed.";
    case "plant_died":
      return "The plant's process died; sensors show what the rig declares for this.";
    case "started":
      return "The run started.";
    case "paused":
      return "Paused.";
    case "resumed":
      return "Resumed.";
    case "ended":
      return "The run ended.";
    default:
      return event.value === 0n ? "" : String(event.value);
  }
}
