// The plant's condition in words: a chip for the top bar, a sentence for the banner.
import type { Condition, Store } from "../app/store";
import { age } from "../app/format";
import type { Link } from "../net/link";

export type ChipTone = "good" | "warn" | "bad" | "info" | "idle";

export const chips: Record<Condition, [string, ChipTone]> = {
  disconnected: ["No link", "bad"],
  silent: ["No data", "bad"],
  dead: ["Plant gone", "bad"],
  ended: ["Ended", "idle"],
  starting: ["Waiting", "info"],
  estopped: ["E-stopped", "bad"],
  faulted: ["Faulted", "bad"],
  frozen: ["Frozen", "warn"],
  paused: ["Paused", "info"],
  safe: ["Running", "good"],
  running: ["Running", "good"],
};

export interface Notice {
  tone: ChipTone;
  title: string;
  text: string;
}

/** What stands across the picture; null: all is well. */
export function noticeOf(store: Store, link: Link, now_ms: number): Notice | null {
  const old = Number.isFinite(store.viewAt_ms) ? `The picture is ${age((now_ms - store.viewAt_ms) / 1000)} old.` : "";
  switch (store.condition(now_ms)) {
    case "disconnected": {
      if (store.linkState === "forbidden") {
        return { tone: "bad", title: "Refused", text: "The gateway does not serve pages from this address." };
      }
      if (store.linkState === "unauthorized") return { tone: "bad", title: "Token needed", text: "Reload to be asked again." };
      if (store.linkState === "connecting") return { tone: "info", title: "Connecting", text: "" };
      const wait_s = Math.max(0, (link.nextAttempt_ms - now_ms) / 1000);
      return { tone: "bad", title: "Disconnected", text: `${old} Next attempt in ${age(wait_s)}.`.trim() };
    }
    case "silent":
      return { tone: "bad", title: "No data", text: `The link is up, but nothing new arrives. ${old}` };
    case "dead":
      return { tone: "bad", title: "The plant is gone", text: "Its process died or hangs; sensors show what the rig declares for this." };
    case "ended":
      return { tone: "idle", title: "Ended", text: "The run is over." };
    case "starting":
      return { tone: "info", title: "Waiting", text: "The plant waits for its start (Instructor, Start)." };
    case "estopped":
      return { tone: "bad", title: "Emergency stop", text: "All actuators are safe, whatever is commanded." };
    case "faulted":
      return { tone: "bad", title: "Faulted", text: "A step failed: values are as the rig declares them for this." };
    case "frozen":
      return { tone: "warn", title: "Frozen", text: "The plant stands still: an actuator's policy holds it." };
    case "paused":
      return { tone: "info", title: "Paused", text: "The plant stands still until it is resumed or stepped." };
    case "safe":
      return (store.status?.leases.length ?? 0) > 0
        ? { tone: "warn", title: "Actuators made safe", text: "Commands were too old. Return the lever to rest, or re-arm." }
        : null; // nobody commands: that actuators rest is as it should be
    case "running":
      return null;
  }
}
