// The right to command, and the frames that keep it.
import { ErrorCode } from "../generated/kinloop/v1/error_pb";
import type { ActuatorReply } from "../generated/kinloop/v1/frames_pb";
import { Emitter } from "../app/emitter";
import { type Link, Refusal } from "../net/link";

const kTime_s = 1;
const kOver = "Your control has ended: take it again.";
const kRearmFrames = 8; // a press of Re-arm is said so often, since frames may be lost

export type LeaseState = "free" | "asking" | "held";

export class DriveLease extends Emitter<{ change: LeaseState }> {
  state: LeaseState = "free";
  /** Why it is not held, for people. */
  trouble = "";
  actuators: string[] = [];
  private lease = 0n;
  private sequence = 0n;
  private readonly rearms = new Map<string, number>();
  private generation = 0;

  constructor(private readonly link: Link) {
    super();
    link.on("state", (state) => {
      if (state !== "connected" && this.state !== "free") this.lose("The link was lost.");
    });
  }

  async acquire(actuators: string[]): Promise<void> {
    if (this.state !== "free") return;
    const generation = ++this.generation;
    this.change("asking", "");
    try {
      const reply = await this.link.control({ case: "acquire", value: { actuators, timeS: kTime_s, holder: "panel" } });
      if (reply.answer.case !== "acquired") throw new Refusal(ErrorCode.INTERNAL, "The gateway gave no lease.");
      this.lease = reply.answer.value.lease;
      if (generation !== this.generation) return this.giveBack(); // it was let go while we asked
      this.actuators = reply.answer.value.actuators;
      this.sequence = 0n;
      this.change("held", "");
    } catch (error) {
      if (generation === this.generation) this.change("free", error instanceof Error ? error.message : String(error));
    }
  }

  release(): void {
    ++this.generation;
    if (this.state === "held") this.giveBack();
    this.change("free", "");
  }

  lose(why: string): void {
    ++this.generation;
    this.lease = 0n;
    this.change("free", why);
  }

  rearm(actuator: string): void {
    this.rearms.set(actuator, kRearmFrames);
  }

  sendFrame(schemaHash: bigint, command: (actuator: string) => number, mayRearm: (actuator: string) => boolean): void {
    if (this.state !== "held") return;
    let rearm = 0n;
    const value = this.actuators.map((actuator, i) => {
      const left = this.rearms.get(actuator) ?? 0;
      if (left > 0) this.rearms.set(actuator, left - 1);
      if (left > 0 || mayRearm(actuator)) rearm |= 1n << BigInt(i);
      return command(actuator);
    });
    const sentNs = BigInt(Math.round(1e3 * (performance.timeOrigin + performance.now()))) * 1000n;
    this.link.send({ case: "frame", value: { schemaHash, lease: this.lease, sequence: ++this.sequence, sentNs, value, rearm } });
  }

  /** A frame was refused. */
  take(refusal: ActuatorReply): string {
    if (refusal.answer.case !== "error") return "";
    const { code, message } = refusal.answer.value;
    if (code !== ErrorCode.NO_LEASE) return message;
    if (this.state === "held") this.lose(kOver);
    return kOver;
  }

  private giveBack(): void {
    if (this.lease === 0n) return;
    this.link.control({ case: "release", value: { lease: this.lease } }).catch(() => {}); // else it runs out by itself
    this.lease = 0n;
  }

  private change(state: LeaseState, trouble: string): void {
    this.state = state;
    this.trouble = trouble;
    this.emit("change", state);
  }
}
