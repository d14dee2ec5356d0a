// The tab with which a person moves the machine, and the rules by which it stops when the person is gone.
import type { Context } from "../app/context";
import { reasonAgainst } from "../app/context";
import { age, sentence } from "../app/format";
import type { Scene } from "../generated/kinloop/v1/panel_pb";
import { h, icon, setAttribute, setText, setUsable } from "../ui/dom";
import { icons } from "../ui/icons";
import { report, toast } from "../ui/toasts";
import { isTyping } from "../ui/typing";
import { agelessWarning } from "./ageless";
import { axesOf, OperatorInput } from "./axes";
import { AxisRow, type RowState } from "./axis_row";
import { DriveLease } from "./lease";

const kFrame_ms = 1000 / 30;

export class DrivePanel {
  readonly element: HTMLElement;
  readonly lease: DriveLease;
  private input = new OperatorInput([]);
  private rows: AxisRow[] = [];
  private readonly rowHolder = h("div", { class: "axes" });
  private readonly take: HTMLButtonElement;
  private readonly said = h("p", { class: "hint", "data-testid": "lease-state", role: "status" });
  private readonly ageless = h("p", { class: "hint warn", "data-testid": "ageless", hidden: true });
  private readonly pad = h("span", { class: "pad", "data-testid": "gamepad" });
  private lastFrame_ms = 0;

  constructor(private readonly context: Context) {
    const { store, link } = context;
    this.lease = new DriveLease(link);
    this.take = h("button", { class: "button primary big", "data-testid": "take-control", "aria-keyshortcuts": "Shift+C" });
    this.take.addEventListener("click", () => this.toggle());
    this.element = h(
      "div",
      { class: "panel drive" },
      h("div", { class: "drive-head" }, this.take, this.pad),
      this.said,
      this.ageless,
      this.rowHolder,
      h("p", { class: "hint" }, "Axes spring back when you let go. Control ends when this page is hidden or the link breaks."),
    );
    store.on("scene", (scene) => this.setScene(scene));
    store.on("refusal", (refusal) => {
      const message = this.lease.take(refusal);
      if (message && this.lease.state === "held") toast(`Command refused: ${message}`, "warn");
    });
    this.lease.on("change", (state) => {
      if (state === "held") this.input.lock();
      else this.input.release();
      if (state === "free" && this.lease.trouble) toast(`Control ended: ${this.lease.trouble}`, "warn");
      this.update();
    });
    setInterval(() => this.beat(), kFrame_ms);
    this.watchKeys();
    this.watchPresence();
    this.update();
  }

  toggle(): void {
    if (this.lease.state === "held") this.lease.release();
    else if (reasonAgainst(this.context, "acquire") === "") void this.lease.acquire(this.input.axes.map((axis) => axis.actuator));
  }

  update(): void {
    const { store } = this.context;
    const held = this.lease.state === "held";
    setText(this.take, held ? "Give back control" : this.lease.state === "asking" ? "Asking …" : "Take control");
    this.take.classList.toggle("held", held);
    setAttribute(this.take, "aria-pressed", String(held));
    setUsable(this.take, this.input.axes.length === 0 ? "This rig has no actuators." : reasonAgainst(this.context, "acquire"));
    setText(this.said, this.sentence());
    this.rows.forEach((row, i) => row.update(this.stateOf(i, held, store.view?.commands ?? [])));
  }

  private stateOf(i: number, held: boolean, commands: number[]): RowState {
    const { store } = this.context;
    const axis = this.input.axes[i];
    if (!axis) return { deflection: 0, inForce: undefined, reason: "", hold: "", canRearm: false };
    const deflection = this.input.deflections[i] ?? 0;
    const inForce = commands[axis.index];
    const faulty = store.shownFaults.some((fault) => fault.signal === axis.actuator);
    let hold: RowState["hold"] = "";
    if (store.latch.isStopped(axis.index)) hold = "stopped";
    else if (faulty) hold = "fault";
    else if (held && store.latch.isSafe(axis.index)) hold = "safe";
    if (hold === "" && !held && !this.isLeased(axis.actuator)) hold = "resting";
    return {
      deflection,
      inForce,
      reason: held ? "" : "Take control first.",
      hold,
      canRearm: reasonAgainst(this.context, "rearm") === "" && held,
    };
  }

  private isLeased(actuator: string): boolean {
    return this.context.store.status?.leases.some((lease) => lease.actuators.includes(actuator)) ?? false;
  }

  private sentence(): string {
    if (this.lease.state === "held") return "You hold control. The plant follows this page.";
    const others = (this.context.store.status?.leases ?? []).map(
      (lease) => `${lease.holder || "somebody"} holds ${lease.actuators.join(", ")} (${age(lease.timeLeftS)} left)`,
    );
    const now = others.length > 0 ? sentence(others.join("; ")) : "Nobody commands these actuators.";
    return `${sentence(this.lease.trouble)} ${now}`.trim();
  }

  private setScene(scene: Scene): void {
    const warning = agelessWarning(scene.description?.actuators ?? []);
    setText(this.ageless, warning);
    this.ageless.hidden = warning === "";
    const axes = axesOf(scene);
    if (JSON.stringify(axes) === JSON.stringify(this.input.axes)) return; // the same again, after a reconnection
    this.lease.release();
    this.input = new OperatorInput(axes);
    this.rows = axes.map(
      (axis, i) =>
        new AxisRow(
          axis,
          (deflection) => this.slide(i, deflection),
          () => this.rearm(axis.actuator),
        ),
    );
    this.rowHolder.replaceChildren(...this.rows.map((row) => row.element));
    this.update();
  }

  private slide(i: number, deflection: number | null): void {
    if (this.lease.state !== "held") return;
    this.input.slide(i, deflection);
  }

  private rearm(actuator: string): void {
    this.lease.rearm(actuator);
    void report("Re-arm", this.context.link.control({ case: "rearm", value: { actuators: [actuator] } }));
  }

  /** One frame's time: hands, then the frame. */
  private beat(): void {
    const now_ms = performance.now();
    const dt_s = Math.min(0.1, (now_ms - this.lastFrame_ms) / 1000);
    this.lastFrame_ms = now_ms;
    this.readGamepad();
    if (this.lease.state === "held") {
      if (this.context.store.latch.latched) this.input.lock(); // else a lever held now would move the machine on re-arming
      this.input.step(dt_s);
      // A lever at rest may be re-armed without being asked: nothing can jump.
      this.lease.sendFrame(
        this.context.store.scene?.description?.schemaHash ?? 0n,
        (actuator) => this.input.command(actuator) ?? 0,
        (actuator) => this.input.atRest(actuator),
      );
    }
    if (this.element.isConnected) this.update();
  }

  private readGamepad(): void {
    const pad = navigator.getGamepads?.().find((known) => known?.connected && known.axes.length > 0);
    const text = pad ? pad.id.replace(/\s*\(.*$/, "") : "No gamepad";
    if (this.pad.textContent !== text) this.pad.replaceChildren(icon(icons.gamepad), text);
    this.input.stick(pad && this.lease.state === "held" ? pad.axes : []);
  }

  private watchKeys(): void {
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      if (this.lease.state !== "held" || event.shiftKey || !this.input.knows(event.code)) return;
      event.preventDefault();
      if (!event.repeat) this.input.press(event.code);
    });
    window.addEventListener("keyup", (event) => this.input.lift(event.code));
    // Another window has the keyboard now: it would never tell us that a key was lifted.
    window.addEventListener("blur", () => {
      if (this.input.anyKey) this.input.release();
    });
  }

  private watchPresence(): void {
    const { link } = this.context;
    const leave = (): void => {
      this.input.release();
      this.lease.release();
      link.wish({ hidden: true });
    };
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) leave();
      else link.wish({ hidden: false });
    });
    window.addEventListener("pagehide", leave);
  }
}
