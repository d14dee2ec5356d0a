// The stop's own way past the gateway: HTTP to the supervisor, which works while io hangs or is dead.
import type { Scene } from "../generated/kinloop/v1/panel_pb";
import { token } from "./token";

/** What the plant's memory says of a stop that it latched. */
export interface StopReceipt {
  step: number;
  tick: number;
}

const kPatience_ms = 2000; // for one answer; then it is asked again

/** Where the supervisor listens, as the page reaches it; empty: it tells of no such place. */
export function stopAddress(endpoints: readonly { socket: string; address: string }[], page: { protocol: string; hostname: string }): string {
  const told = endpoints.find((one) => one.socket === "stop" && one.address.startsWith("http://"));
  const port = told ? new URL(told.address).port : "";
  return port === "" ? "" : `${page.protocol}//${page.hostname}:${port}/stop`;
}

/** Remembers the address: it is needed when the gateway no longer answers. */
export class StopPath {
  private address = "";

  take(scene: Scene): void {
    this.address = stopAddress(scene.description?.endpoints ?? [], location) || this.address;
  }

  /** Throws where nobody confirmed it. */
  async ask(): Promise<StopReceipt> {
    if (this.address === "") throw new Error("The supervisor tells of no stop of its own.");
    const key = token();
    const answer = await fetch(this.address, {
      method: "POST",
      headers: key ? { Authorization: `Bearer ${key}` } : {},
      cache: "no-store",
      keepalive: true, // it leaves, even where the page is closed at once
      signal: AbortSignal.timeout(kPatience_ms),
    });
    if (!answer.ok) throw new Error(`The supervisor answered ${answer.status}.`);
    return (await answer.json()) as StopReceipt;
  }
}
