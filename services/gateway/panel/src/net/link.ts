// The WebSocket to the gateway: stays up, asks and answers, says again what the page wishes.
import type { ControlReply } from "../generated/kinloop/v1/control_pb";
import { ErrorCode, type Error as WireError } from "../generated/kinloop/v1/error_pb";
import type { PageMessage, SnapshotWish_Action } from "../generated/kinloop/v1/panel_pb";
import { Timeout } from "../generated/kinloop/v1/verb_pb";
import { Emitter } from "../app/emitter";
import { Backoff } from "./backoff";
import { token } from "./token";
import { propertiesOf } from "./verbs";
import { decode, encode, type PageRequestInit, type VerbInit } from "./wire";

export type LinkState = "connecting" | "connected" | "disconnected" | "unauthorized" | "forbidden";
export interface PageWishes {
  rateHz: number;
  forces: boolean;
  hidden: boolean;
}

/** A request that was refused, with the gateway's own words. */
export class Refusal extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly field = "",
  ) {
    super(message);
  }
  static of(error: WireError): Refusal {
    return new Refusal(error.code, error.message || ErrorCode[error.code] || "refused", error.field);
  }
}

const kUnauthorized = 4401;
const kForbidden = 4403;
const kPatience_ms = 10_000; // for an answer
const kLongPatience_ms = 60_000; // where the schema says that it may take long; captures are not asked for here

interface Waiting {
  resolve: (reply: ControlReply) => void;
  reject: (reason: Refusal) => void;
  timer: number;
}

export class Link extends Emitter<{ state: LinkState; message: PageMessage }> {
  state: LinkState = "connecting";
  /** Of the next attempt, on performance.now(); 0: none is planned. */
  nextAttempt_ms = 0;
  private socket: WebSocket | null = null;
  private readonly backoff = new Backoff();
  private readonly waiting = new Map<bigint, Waiting>();
  private readonly client = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 1n;
  private lastRequest = 0n;
  private retry = 0;
  private wishes: PageWishes = { rateHz: 60, forces: false, hidden: false };

  open(): void {
    clearTimeout(this.retry);
    this.nextAttempt_ms = 0;
    const address = new URL("ws", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = address.search = "";
    const key = token();
    const socket = new WebSocket(address, key ? ["kinloop.v1", `token.${key}`] : ["kinloop.v1"]);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.change("connecting");
    socket.onopen = () => this.send({ case: "wishes", value: this.wishes });
    socket.onmessage = (event: MessageEvent<ArrayBuffer>) => this.receive(event.data);
    socket.onclose = (event) => this.closed(event.code);
  }

  wish(change: Partial<PageWishes>): void {
    this.wishes = { ...this.wishes, ...change };
    this.send({ case: "wishes", value: this.wishes });
  }

  /** Whether it left; nothing is queued, since an old command is worse than none. */
  send(what: PageRequestInit): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(encode(what) as Uint8Array<ArrayBuffer>);
    return true;
  }

  control(verb: VerbInit): Promise<ControlReply> {
    const isLong = verb.case !== undefined && propertiesOf(verb.case).timeout === Timeout.LONG;
    return this.ask(
      (requestId) => ({ case: "control", value: { version: 1, client: this.client, requestId, verb } }),
      isLong ? kLongPatience_ms : kPatience_ms,
    );
  }

  snapshot(action: SnapshotWish_Action, name: string): Promise<ControlReply> {
    return this.ask((requestId) => ({ case: "snapshot", value: { action, name, requestId } }), kPatience_ms);
  }

  private ask(request: (requestId: bigint) => PageRequestInit, patience_ms: number): Promise<ControlReply> {
    const requestId = ++this.lastRequest;
    return new Promise((resolve, reject) => {
      if (!this.send(request(requestId))) {
        reject(new Refusal(ErrorCode.PLANT, "The page is not connected."));
        return;
      }
      const timer = window.setTimeout(() => {
        this.waiting.delete(requestId);
        reject(new Refusal(ErrorCode.PLANT, "There was no answer in time."));
      }, patience_ms);
      this.waiting.set(requestId, { resolve, reject, timer });
    });
  }

  private receive(data: ArrayBuffer): void {
    let message: PageMessage;
    try {
      message = decode(data);
    } catch {
      return; // of a newer schema, or damaged: the next one is as good
    }
    if (message.what.case === "scene") {
      this.backoff.reset();
      this.change("connected");
    }
    if (message.what.case === "reply") this.settle(message.what.value);
    this.emit("message", message);
  }

  private settle(reply: ControlReply): void {
    const waiting = this.waiting.get(reply.requestId);
    if (!waiting) return;
    this.waiting.delete(reply.requestId);
    clearTimeout(waiting.timer);
    if (reply.answer.case === "error") waiting.reject(Refusal.of(reply.answer.value));
    else waiting.resolve(reply);
  }

  private closed(code: number): void {
    this.socket = null;
    for (const waiting of this.waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(new Refusal(ErrorCode.PLANT, "The connection was lost before the answer came."));
    }
    this.waiting.clear();
    if (code === kUnauthorized) return this.change("unauthorized");
    if (code === kForbidden) return this.change("forbidden");
    const wait_ms = this.backoff.next_ms();
    this.nextAttempt_ms = performance.now() + wait_ms;
    this.retry = window.setTimeout(() => this.open(), wait_ms);
    this.change("disconnected");
  }

  private change(state: LinkState): void {
    // While attempts fail the page says "disconnected", and does not flicker.
    if (state === "connecting" && this.state === "disconnected") return;
    if (state === this.state) return;
    this.state = state;
    this.emit("state", state);
  }
}
