// One chart of some signals over time.
import uPlot from "uplot";
import { number, quantity, tickText } from "../app/format";
import { h, icon, setHidden, setText } from "../ui/dom";
import { icons } from "../ui/icons";
import { theme } from "../ui/theme";
import { courseColour, styleColour } from "./colours";
import { csvOf, download } from "./csv";
import type { History, Signal } from "./history";
import { picker } from "./picker";
import { gridOf, gridTimes, thinOut } from "./thin_out";

const kFont = "11px system-ui, sans-serif";

export interface Range {
  from: number;
  to: number;
}

export class Pane {
  readonly element: HTMLElement;
  private readonly chart = h("div", { class: "chart" });
  private readonly legend = h("div", { class: "course-list" });
  private readonly zoomOut: HTMLButtonElement;
  private plot: uPlot | null = null;
  private zoom: Range | null = null;
  private shown: Range = { from: 0, to: 1 };
  private values: HTMLElement[] = [];

  constructor(
    private readonly history: History,
    public names: string[],
    private readonly onChange: () => void,
    onRemove: (pane: Pane) => void,
  ) {
    const add = picker(history, (name) => this.toggle(name), () => this.names);
    const csv = h("button", { class: "icon-button small", title: "Download what is shown as CSV", "aria-label": "Download CSV", "data-testid": "pane-csv" }, icon(icons.download));
    csv.addEventListener("click", () => download("kinloop.csv", csvOf(this.signals(), this.shown.from, this.shown.to)));
    const remove = h("button", { class: "icon-button small", title: "Remove this pane", "aria-label": "Remove pane", "data-testid": "pane-remove" }, icon(icons.close));
    remove.addEventListener("click", () => onRemove(this));
    this.zoomOut = h("button", { class: "button small", hidden: true, "data-testid": "pane-zoom-out" }, "Zoom out");
    this.zoomOut.addEventListener("click", () => this.setZoom(null));
    this.element = h(
      "section",
      { class: "pane", "data-testid": "pane", "aria-label": "Plot" },
      h("div", { class: "pane-head" }, this.legend, h("div", { class: "pane-tools" }, this.zoomOut, add, csv, remove)),
      this.chart,
    );
    new ResizeObserver(() => this.resize()).observe(this.chart);
  }

  private signals(): Signal[] {
    return this.names.flatMap((name) => this.history.find(name) ?? []);
  }

  private toggle(name: string): void {
    this.names = this.names.includes(name) ? this.names.filter((known) => known !== name) : [...this.names, name];
    this.rebuild();
    this.onChange();
  }

  private setZoom(zoom: Range | null): void {
    this.zoom = zoom;
    setHidden(this.zoomOut, zoom === null);
    this.draw(this.shown);
  }

  /** New signals or another theme. */
  rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    const signals = this.signals();
    this.values = [];
    this.legend.replaceChildren(
      ...signals.map((signal, i) => {
        const swatch = h("i", { class: "swatch" });
        swatch.style.background = courseColour(i, theme.dark);
        const value = h("span", { class: "num course-value" }, "–");
        this.values.push(value);
        const off = h("button", { class: "course-off", "aria-label": `Remove ${signal.name}`, title: "Remove" }, "×");
        off.addEventListener("click", () => this.toggle(signal.name));
        return h("span", { class: "course", "data-testid": `course-${signal.name}` }, swatch, h("span", { class: "course-name", title: signal.name }, signal.name.replace(/^sensor\./, "")), value, off);
      }),
      ...(signals.length === 0 ? [h("span", { class: "hint" }, "Add a signal with +")] : []),
    );
    if (signals.length === 0 || this.chart.clientWidth === 0) return;
    this.plot = new uPlot(this.options(signals), [[], ...signals.map(() => [])], this.chart);
  }

  draw(live: Range): void {
    this.shown = this.zoom ?? live;
    const signals = this.signals();
    if (!this.plot || this.plot.series.length !== signals.length + 1) this.rebuild();
    if (!this.plot) return;
    const buckets = Math.max(50, Math.floor(this.plot.width / 1.5));
    const grid = gridOf(this.shown.from, this.shown.to, buckets);
    const data: uPlot.AlignedData = [gridTimes(grid), ...signals.map((signal) => thinOut(signal.ring, signal.column, grid))];
    this.plot.batch(() => {
      this.plot?.setData(data, false);
      this.plot?.setScale("x", { min: this.shown.from, max: this.shown.to });
    });
    this.showValues(signals);
  }

  private showValues(signals: Signal[]): void {
    signals.forEach((signal, i) => {
      const element = this.values[i];
      const { ring } = signal;
      if (!element) return;
      const last = ring.length === 0 ? NaN : ring.value(Math.max(0, Math.min(ring.length, ring.find(this.shown.to)) - 1), signal.column);
      setText(element, quantity(last, signal.unit));
    });
  }

  private resize(): void {
    if (this.chart.clientWidth === 0) return;
    if (this.plot) this.plot.setSize({ width: this.chart.clientWidth, height: this.chart.clientHeight });
    else this.draw(this.shown);
  }

  private options(signals: Signal[]): uPlot.Options {
    const units = [...new Set(signals.map((signal) => signal.unit))];
    const ink = styleColour("--ink-2");
    const line = styleColour("--grid");
    const axis = { stroke: ink, font: kFont, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
    const axes: uPlot.Axis[] = [
      { ...axis, scale: "x", size: 26, values: (_, ticks) => ticks.map((tick) => `${number(tick, 4).replace(/\.?0+$/, "") || "0"}`) },
      ...units.slice(0, 2).map(
        (unit, i): uPlot.Axis => ({
          ...axis, scale: `y${unit}`, side: i === 0 ? 3 : 1, size: 70, grid: { ...axis.grid, show: i === 0 },
          values: (_, ticks) => ticks.map((tick) => tickText(tick, unit)),
        }),
      ),
    ];
    const scales: uPlot.Scales = { x: { time: false, auto: false } };
    for (const unit of units) scales[`y${unit}`] = { range: (_, least, most) => roomy(least, most) };
    return {
      width: this.chart.clientWidth,
      height: this.chart.clientHeight,
      padding: [8, units.length > 1 ? 0 : 10, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
      scales,
      axes,
      series: [
        {},
        ...signals.map((signal, i): uPlot.Series => ({
          scale: `y${signal.unit}`, stroke: courseColour(i, theme.dark), width: 1.5, spanGaps: true, points: { show: false },
        })),
      ],
      hooks: {
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < 4) return;
            const range = { from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") };
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.setZoom(range);
          },
        ],
        ready: [(plot) => plot.over.addEventListener("dblclick", () => this.setZoom(null))],
      },
    };
  }
}

/** Some room above and below, also where the course is flat. */
function roomy(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null || !Number.isFinite(least) || !Number.isFinite(most)) return [-1, 1];
  const room = most > least ? 0.08 * (most - least) : 0.1 * Math.abs(most) || 1;
  return [least - room, most + room];
}
