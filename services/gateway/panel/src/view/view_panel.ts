// The picture with its buttons, its legend and what stands across it.
import type { Context } from "../app/context";
import { quantity } from "../app/format";
import { Arrow_Kind } from "../generated/kinloop/v1/panel_pb";
import { Banner } from "../ui/banner";
import { h, setHidden, setText } from "../ui/dom";
import { theme } from "../ui/theme";
import { toast } from "../ui/toasts";
import { kArrowColours } from "./arrows";
import { arrowShare } from "./arrow_scale";
import { firstView, presetNamed } from "./locked_view";
import { type Shown, Stage } from "./stage";

const key = "kinloop.shown";
const kUsual: Shown = { joints: false, loops: true, forces: false, shadows: true };
const labels: Record<keyof Shown, [string, string]> = {
  joints: ["Joints", "Axes of the joints"],
  loops: ["Loops", "Joints that close a loop"],
  forces: ["Forces", "Reactions, contacts and actuators as arrows"],
  shadows: ["Shadows", "Shadows"],
};

export class ViewPanel {
  readonly element: HTMLElement;
  readonly stage: Stage;
  onPick: (body: string) => void = () => {};
  private hasBegun = false;
  private readonly banner: Banner;
  private readonly cameras = h("div", { class: "tool-row", role: "group", "aria-label": "Camera" });
  private readonly legend = h("div", { class: "legend", hidden: true, "data-testid": "force-legend" });
  private readonly largest = h("span", { class: "num" });
  private readonly hover = h("div", { class: "hover-name", hidden: true });
  private readonly traceMenu = h("div", { class: "menu", hidden: true, "data-testid": "trace-menu" });
  private shown: Shown = { ...kUsual, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Shown>) };

  constructor(private readonly context: Context) {
    const holder = h("div", { class: "stage", "data-testid": "stage" });
    this.banner = new Banner(context);
    this.element = h(
      "section",
      { class: "view", "aria-label": "The mechanism" },
      this.banner.element, holder, this.hover,
      h("div", { class: "view-tools left" }, this.cameras),
      h("div", { class: "view-tools right" }, this.legend, this.traceMenu, this.toggles()),
    );
    this.stage = new Stage(holder);
    this.stage.canvas.setAttribute("aria-label", "Picture of the mechanism");
    this.stage.canvas.setAttribute("role", "img");
    this.stage.canvas.dataset["testid"] = "canvas";
    this.stage.setDark(theme.dark);
    theme.on("change", (dark) => this.stage.setDark(dark));
    this.apply();
    const { store } = context;
    store.on("scene", (scene) => {
      this.stage.setScene(scene);
      this.showCameras();
      this.begin();
      this.showTraceMenu();
    });
    store.on("view", (view) => this.stage.addView(view, performance.now()));
    this.watchPointer();
  }

  /** With the camera of the address; a name that the rig does not know is said, and its first camera shown. */
  private begin(): void {
    const name = firstView(location.search);
    if (name === "" || this.hasBegun) return;
    this.hasBegun = true;
    const preset = presetNamed(this.stage.presets, name);
    if (preset) this.stage.look(preset.id, true);
    else toast(`No camera is called '${name}'; there are ${this.stage.presets.map(({ label }) => label).join(", ")}.`, "warn");
  }

  update(now_ms: number): void {
    this.banner.update(now_ms);
    const gone = ["disconnected", "silent", "dead"].includes(this.context.store.condition(now_ms)) && this.context.store.scene !== null;
    this.element.classList.toggle("gone", gone);
    if (this.shown.forces) {
      const { force_N, moment_Nm } = this.stage.largestArrows();
      const most = [force_N > 0 ? quantity(force_N, "N", 3) : "", moment_Nm > 0 ? quantity(moment_Nm, "N m", 3) : ""];
      setText(this.largest, most.filter((one) => one !== "").join(", ") || "none now");
    }
  }

  private apply(): void {
    this.stage.show(this.shown);
    this.context.link.wish({ forces: this.shown.forces });
    localStorage.setItem(key, JSON.stringify(this.shown));
    setHidden(this.legend, !this.shown.forces);
    if (this.shown.forces && !this.legend.hasChildNodes()) this.fillLegend();
  }

  private toggles(): HTMLElement {
    const row = h("div", { class: "tool-row", role: "group", "aria-label": "Shown in the picture" });
    for (const name of Object.keys(labels) as (keyof Shown)[]) {
      const [label, title] = labels[name];
      const button = h("button", { class: "tool", title, "data-testid": `show-${name}`, "aria-pressed": String(this.shown[name]) }, label);
      button.addEventListener("click", () => {
        this.shown = { ...this.shown, [name]: !this.shown[name] };
        button.setAttribute("aria-pressed", String(this.shown[name]));
        this.apply();
      });
      row.append(button);
    }
    const traces = h("button", { class: "tool", title: "Paths of chosen bodies", "data-testid": "show-traces", "aria-expanded": "false" }, "Traces");
    traces.addEventListener("click", () => {
      setHidden(this.traceMenu, !this.traceMenu.hidden);
      traces.setAttribute("aria-expanded", String(!this.traceMenu.hidden));
    });
    row.append(traces);
    return row;
  }

  private showCameras(): void {
    const presets = [...this.stage.presets.map(({ id, label }) => ({ id, label })), { id: "fit", label: "Fit" }];
    this.cameras.replaceChildren(
      ...presets.map(({ id, label }) => {
        const button = h("button", { class: "tool", "data-testid": `camera-${id}`, title: `Look: ${label}` }, label);
        button.addEventListener("click", () => this.stage.look(id));
        return button;
      }),
    );
  }

  private showTraceMenu(): void {
    const bodies = this.context.store.scene?.bodies ?? [];
    const items = bodies.slice(1).map((body, i) => {
      const box = h("input", { type: "checkbox", "data-testid": `trace-${body.name}` });
      box.checked = this.stage.traces.has(i + 1);
      box.addEventListener("change", () => {
        this.stage.traces.toggle(i + 1);
        this.stage.invalidate();
      });
      return h("label", { class: "menu-item" }, box, body.name);
    });
    const clear = h("button", { class: "button small", "data-testid": "trace-clear" }, "Clear paths");
    clear.addEventListener("click", () => {
      this.stage.traces.clear();
      this.stage.invalidate();
    });
    this.traceMenu.replaceChildren(h("div", { class: "menu-list" }, ...items), clear);
  }

  private fillLegend(): void {
    const kinds: [Arrow_Kind.REACTION | Arrow_Kind.CONTACT | Arrow_Kind.ACTUATOR, string][] = [
      [Arrow_Kind.ACTUATOR, "Actuator"],
      [Arrow_Kind.REACTION, "Reaction"],
      [Arrow_Kind.CONTACT, "Contact"],
    ];
    for (const [kind, label] of kinds) {
      const swatch = h("i", { class: "swatch" });
      swatch.style.background = `#${kArrowColours[kind].toString(16).padStart(6, "0")}`;
      this.legend.append(h("div", { class: "legend-row" }, swatch, label));
    }
    const scale = h("div", { class: "legend-scale" });
    for (const [force_N, label] of [[1e2, "0.1"], [1e3, "1"], [1e4, "10"], [1e5, "100\u202fkN"]] as const) {
      const bar = h("i", { class: "scale-bar" });
      bar.style.width = `${200 * arrowShare(force_N)}px`;
      scale.append(h("div", { class: "legend-row" }, bar, h("span", { class: "num" }, label)));
    }
    this.legend.append(scale, h("div", { class: "legend-row sub" }, "Largest ", this.largest));
  }

  private watchPointer(): void {
    const { canvas } = this.stage;
    let last_ms = 0;
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0 || event.timeStamp - last_ms < 80) return;
      last_ms = event.timeStamp;
      const name = this.stage.pick(event.clientX, event.clientY);
      setHidden(this.hover, name === "");
      setText(this.hover, name);
      const box = this.element.getBoundingClientRect();
      this.hover.style.transform = `translate(${event.clientX - box.left + 14}px, ${event.clientY - box.top + 14}px)`;
    });
    canvas.addEventListener("pointerleave", () => setHidden(this.hover, true));
    canvas.addEventListener("dblclick", (event) => {
      const name = this.stage.pick(event.clientX, event.clientY);
      if (name !== "") this.onPick(name);
    });
  }
}
