// Which actuators were made safe, and which of them by an emergency stop: the plant tells with every view.
import type { View } from "../generated/kinloop/v1/panel_pb";

export class StopLatch {
  private stopped = 0n;
  private safe = 0n;

  get latched(): boolean {
    return this.stopped !== 0n;
  }

  isStopped(actuator: number): boolean {
    return ((this.stopped >> BigInt(actuator)) & 1n) === 1n;
  }

  isSafe(actuator: number): boolean {
    return ((this.safe >> BigInt(actuator)) & 1n) === 1n;
  }

  take(view: Pick<View, "safe" | "stopped">): void {
    this.safe = view.safe;
    this.stopped = view.stopped;
  }
}
