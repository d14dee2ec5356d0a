// What each role may do. The gateway decides; the page only explains beforehand.
import { Role } from "../generated/kinloop/v1/verb_pb";
import { propertiesOf, type Verb } from "../net/verbs";

const ranks: Record<string, Role> = { observer: Role.OBSERVER, operator: Role.OPERATOR, admin: Role.ADMIN };

/** Why the role may not do this, as a sentence; empty: it may. */
export function refusal(role: string, verb: Verb): string {
  const least = propertiesOf(verb).role;
  if ((ranks[role] ?? Role.OBSERVER) >= least) return "";
  return `This needs the role ${Role[least].toLowerCase()}; yours is ${role || "unknown"}.`;
}
