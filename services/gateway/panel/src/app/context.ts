// What every part of the page needs.
import type { Link } from "../net/link";
import type { Verb } from "../net/verbs";
import { refusal } from "./roles";
import type { StopCommand } from "./stop_command";
import type { Store } from "./store";

export interface Context {
  link: Link;
  store: Store;
  stop: StopCommand;
}

/** Why this cannot be asked for now; empty: it can. */
export function reasonAgainst({ store }: Context, verb: Verb): string {
  return store.connected ? refusal(store.role, verb) : "The page is not connected.";
}
