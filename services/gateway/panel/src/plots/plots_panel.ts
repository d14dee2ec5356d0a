// The tab with the charts.
import "uplot/dist/uPlot.min.css";
import type { Context } from "../app/context";
import type { Scene } from "../generated/kinloop/v1/panel_pb";
import { h, icon } from "../ui/dom";
import { icons } from "../ui/icons";
import { theme } from "../ui/theme";
import { History } from "./history";
import { Pane } from "./pane";

const kWindows_s = [2, 5, 10, 30, 60, 120];
const kMaxPanes = 8;
const kRedraw_ms = 50;

export class PlotsPanel {
  readonly element: HTMLElement;
  private readonly history: History;
  private panes: Pane[] = [];
  private readonly holder = h("div", { class: "panes" });
  private readonly pause: HTMLButtonElement;
  private window_s = 10;
  private pausedAt_s: number | null = null;
  private rig = "";
  private drawn_ms = 0;
  private drawnAt_s = -1;

  constructor(private readonly context: Context) {
    this.history = new History(context.store);
    this.pause = h("button", { class: "button small", "data-testid": "plots-pause", "aria-pressed": "false" });
    this.pause.addEventListener("click", () => this.togglePause());
    const windows = h("select", { class: "input", "aria-label": "Time window", "data-testid": "plots-window" });
    for (const seconds of kWindows_s) windows.append(h("option", { value: seconds, selected: seconds === this.window_s }, `${seconds}\u202fs`));
    windows.addEventListener("change", () => {
      this.window_s = Number(windows.value);
      this.draw(true);
    });
    const add = h("button", { class: "button small", "data-testid": "plots-add" }, icon(icons.plus), "Pane");
    add.addEventListener("click", () => this.add([]));
    const usual = h("button", { class: "button small", "data-testid": "plots-defaults", title: "The panes that the rig proposes" }, "Defaults");
    usual.addEventListener("click", () => this.setNames(this.context.store.scene ? proposed(this.context.store.scene) : []));
    this.element = h(
      "div",
      { class: "panel plots" },
      h("div", { class: "bar" }, this.pause, h("label", { class: "bar-label" }, "Window ", windows), h("span", { class: "grow" }), usual, add),
      this.holder,
    );
    this.showPause();
    context.store.on("scene", (scene) => this.setScene(scene));
    context.store.on("view", () => this.draw(false));
    theme.on("change", () => {
      for (const pane of this.panes) pane.rebuild();
      this.draw(true);
    });
    this.history.onChange = () => this.panes.forEach((pane) => pane.rebuild());
  }

  /** The tab was opened. */
  opened(): void {
    for (const pane of this.panes) pane.rebuild();
    this.draw(true);
  }

  togglePause(): void {
    this.pausedAt_s = this.pausedAt_s === null ? this.history.now_s : null;
    this.showPause();
    this.draw(true);
  }

  private showPause(): void {
    const paused = this.pausedAt_s !== null;
    this.pause.replaceChildren(icon(paused ? icons.play : icons.pause), paused ? "Go on" : "Pause");
    this.pause.setAttribute("aria-pressed", String(paused));
  }

  private draw(force: boolean): void {
    if (this.element.hidden || !this.element.isConnected || document.hidden) return;
    const now_ms = performance.now();
    const now_s = this.pausedAt_s ?? this.history.now_s;
    if (!force && (now_ms - this.drawn_ms < kRedraw_ms || now_s === this.drawnAt_s)) return;
    this.drawn_ms = now_ms;
    this.drawnAt_s = now_s;
    const to = Math.max(now_s, this.window_s); // there is nothing before 0
    for (const pane of this.panes) pane.draw({ from: to - this.window_s, to });
  }

  private key(): string {
    return `kinloop.plots.${this.rig}`;
  }

  private setScene(scene: Scene): void {
    const rig = scene.description?.rig ?? "";
    if (rig === this.rig && this.panes.length > 0) return;
    this.rig = rig;
    const kept = localStorage.getItem(this.key());
    this.setNames(kept ? (JSON.parse(kept) as string[][]) : proposed(scene));
  }

  private setNames(all: string[][]): void {
    for (const pane of this.panes) pane.element.remove();
    this.panes = [];
    for (const names of all) this.add(names);
    this.draw(true);
  }

  private add(names: string[]): void {
    if (this.panes.length >= kMaxPanes) return;
    const pane = new Pane(this.history, names, () => this.changed(), (gone) => this.remove(gone));
    this.panes.push(pane);
    this.holder.append(pane.element);
    pane.rebuild();
    this.changed();
  }

  private remove(pane: Pane): void {
    pane.element.remove();
    this.panes = this.panes.filter((known) => known !== pane);
    this.changed();
  }

  private changed(): void {
    localStorage.setItem(this.key(), JSON.stringify(this.panes.map((pane) => pane.names)));
    this.draw(true);
  }
}

/** What the rig proposes; else the first sensors and the commands. */
function proposed(scene: Scene): string[][] {
  const named = (scene.panel?.plots ?? []).map((pane) => pane.signals);
  if (named.length > 0) return named;
  const description = scene.description;
  const sensors = (description?.sensors ?? []).slice(0, 3).map((sensor) => `sensor.${sensor.name}`);
  const commands = (description?.actuators ?? []).slice(0, 4).map((actuator) => `command.${actuator.name}`);
  return [sensors, commands].filter((names) => names.length > 0);
}
