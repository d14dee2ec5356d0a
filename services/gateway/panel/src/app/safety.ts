// Which actuators an emergency stop holds, as far as events and flags tell.
import type { Event } from "../generated/kinloop/v1/event_pb";
import { FrameFlag } from "../generated/kinloop/v1/frames_pb";

/** Stopped actuators are safe, and safe ones make frames stale: views without that flag prove that none is stopped. */
const kViewsThatProve = 3;

export class StopLatch {
  private stopped = 0n;
  private clearViews = 0;

  get latched(): boolean {
    return this.stopped !== 0n;
  }

  isStopped(actuator: number): boolean {
    return ((this.stopped >> BigInt(actuator)) & 1n) === 1n;
  }

  /** The plant has confirmed an emergency stop. */
  stop(actuators: number): void {
    this.stopped = (1n << BigInt(Math.max(1, actuators))) - 1n;
    this.clearViews = 0;
  }

  rearm(mask: bigint): void {
    this.stopped &= ~mask;
  }

  takeEvent(event: Event, actuators: number): void {
    if (event.kind === "made_safe") this.stop(actuators);
    if (event.kind === "rearmed") this.rearm(BigInt.asUintN(64, event.value));
  }

  takeFlags(flags: number): void {
    this.clearViews = (flags & FrameFlag.STALE) === 0 ? this.clearViews + 1 : 0;
    if (this.clearViews >= kViewsThatProve) this.stopped = 0n;
  }
}
