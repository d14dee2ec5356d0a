// What each role may do: the table of docs/security.md. The gateway decides; the page only explains beforehand.
import type { ControlRequest } from "../generated/kinloop/v1/control_pb";

export type Verb = NonNullable<ControlRequest["verb"]["case"]>;

const ranks: Record<string, number> = { observer: 0, operator: 1, admin: 2 };
const operatorVerbs: Verb[] = [
  "acquire", "release", "start", "pause", "resume", "step", "reset", "rearm", "record", "note",
];
const adminVerbs: Verb[] = [
  "restore", "setParameters", "injectFault", "clearFaults", "override", "applyForce", "shutdown",
];

function leastRole(verb: Verb): string {
  if (adminVerbs.includes(verb)) return "admin";
  if (operatorVerbs.includes(verb)) return "operator";
  return "observer";
}

/** Why the role may not do this, as a sentence; empty: it may. */
export function refusal(role: string, verb: Verb): string {
  const least = leastRole(verb);
  return (ranks[role] ?? 0) >= (ranks[least] ?? 0) ? "" : `This needs the role ${least}; yours is ${role || "unknown"}.`;
}
