// The bar that is the same on every tab.
import type { Context } from "../app/context";
import { count, plantTime, rate } from "../app/format";
import { Mode } from "../generated/kinloop/v1/describe_pb";
import { FrameFlag } from "../generated/kinloop/v1/frames_pb";
import { unheard, verdictOf } from "../timing/deadlines";
import { chips } from "./conditions";
import { h, icon, setAttribute, setText } from "./dom";
import { estopButton } from "./estop";
import { openHelp } from "./help";
import { icons } from "./icons";
import { themeButton } from "./theme";

const modes: Record<Mode, string> = {
  [Mode.UNSPECIFIED]: "–",
  [Mode.REAL_TIME]: "Real time",
  [Mode.LOCKSTEP]: "Lockstep",
  [Mode.FREE]: "Free run",
};

export class TopBar {
  readonly element: HTMLElement;
  private readonly rig = h("div", { class: "rig-name", "data-testid": "rig-name" }, "–");
  private readonly mode = h("div", { class: "rig-mode", "data-testid": "mode" }, "–");
  private readonly state = h("div", { class: "chip", "data-testid": "state", role: "status" }, "–");
  private readonly time = h("div", { class: "value", "data-testid": "time" }, "–");
  private readonly step = h("div", { class: "sub", "data-testid": "step" }, "–");
  private readonly verdict = h("div", { class: "value", "data-testid": "deadlines" }, "–");
  private readonly flags = h("div", { class: "sub", "data-testid": "flags" }, "–");
  private readonly record = h("div", { class: "value", "data-testid": "recording" }, "–");
  private readonly recordFile = h("div", { class: "sub ellipsis" }, "–");
  private readonly link = h("div", { class: "value", "data-testid": "link" }, "–");
  private readonly linkRate = h("div", { class: "sub" }, "–");
  private viewTimes_ms: number[] = [];

  constructor(private readonly context: Context) {
    const help = h("button", { class: "icon-button", "data-testid": "help", "aria-label": "Help and keys", title: "Help and keys (?)" }, icon(icons.help));
    help.addEventListener("click", openHelp);
    this.element = h(
      "header",
      { class: "topbar" },
      h("div", { class: "top-rig" }, h("div", { class: "mark", "aria-hidden": "true" }), h("div", { class: "rig-words" }, this.rig, this.mode)),
      h("div", { class: "top-state" }, this.state),
      cell("Plant time", "top-time", this.time, this.step),
      cell("Deadlines", "top-deadlines", this.verdict, this.flags),
      cell("Record", "top-record", this.record, this.recordFile),
      cell("Link", "top-link", this.link, this.linkRate),
      h("div", { class: "top-tools" }, themeButton(), help),
      estopButton(context),
    );
    context.store.on("view", () => {
      const now_ms = performance.now();
      this.viewTimes_ms.push(now_ms);
      if (this.viewTimes_ms.length > 240) this.viewTimes_ms.shift();
    });
  }

  update(now_ms: number): void {
    const { store } = this.context;
    const description = store.scene?.description;
    setText(this.rig, description?.rig ?? "Kinloop");
    if (description) {
      setText(this.mode, `${modes[description.mode]} · ${rate(1 / description.dtS)}`);
      document.title = `${description.rig} – Kinloop`;
    }
    const condition = store.condition(now_ms);
    const [word, tone] = chips[condition];
    setText(this.state, word);
    setAttribute(this.state, "data-tone", tone);
    const time_s = store.view?.timeS ?? store.status?.timeS;
    setText(this.time, time_s === undefined ? "–" : plantTime(time_s));
    setText(this.step, `step ${count(store.view?.step ?? store.status?.step ?? 0n)}`);
    const isHeard = condition !== "silent" && condition !== "disconnected" && condition !== "dead";
    const verdict = isHeard ? verdictOf(store.timing, description?.mode ?? Mode.REAL_TIME) : unheard;
    setText(this.verdict, verdict.short);
    setAttribute(this.verdict, "data-tone", verdict.tone);
    this.verdict.title = verdict.long;
    setText(this.flags, isHeard ? [verdict.margin, ...this.flagWords()].filter((word) => word !== "").join(" · ") : "");
    this.showRecord();
    this.showLink(now_ms);
  }

  private flagWords(): string[] {
    const { flags, status } = this.context.store;
    const words = [];
    if ((flags & FrameFlag.OVERRUN) !== 0) words.push("overrun now");
    if ((flags & FrameFlag.DEGRADED) !== 0) words.push(`degraded to level ${status?.level ?? "?"}`);
    const faults = this.context.store.shownFaults.length;
    if (faults > 0) words.push(`${faults} ${faults === 1 ? "fault" : "faults"} injected`);
    return words;
  }

  private showRecord(): void {
    const { status } = this.context.store;
    const on = (status?.recording ?? "") !== "";
    const trouble = status?.recordTrouble ?? "";
    setText(this.record, trouble ? "Incomplete" : on ? "Recording" : "Off");
    setAttribute(this.record, "data-tone", trouble ? "warn" : on ? "record" : "none");
    setText(this.recordFile, trouble || (on ? (status?.recording.split("/").pop() ?? "") : "no record"));
    this.recordFile.title = trouble || (status?.recording ?? "");
  }

  private showLink(now_ms: number): void {
    const { store } = this.context;
    const lately = this.viewTimes_ms.filter((at) => at > now_ms - 2000).length / 2;
    const words = { connected: "Connected", connecting: "Connecting", disconnected: "Disconnected", unauthorized: "No token", forbidden: "Refused" };
    setText(this.link, words[store.linkState]);
    setAttribute(this.link, "data-tone", store.connected ? "good" : store.linkState === "connecting" ? "info" : "bad");
    setText(this.linkRate, store.connected ? `${lately.toFixed(0)}\u202fHz · ${store.role}` : "no views");
  }
}

function cell(name: string, place: string, ...values: HTMLElement[]): HTMLElement {
  return h("div", { class: `top-cell ${place}` }, h("div", { class: "label" }, name), ...values);
}
