// The least and the median slack of every second.
import uPlot from "uplot";
import { duration } from "../app/format";
import type { Timing } from "../generated/kinloop/v1/event_pb";
import { courseColour, styleColour } from "../plots/colours";
import { h } from "../ui/dom";
import { theme } from "../ui/theme";
import { quantile, since } from "./histograms";

const kMax = 300;

export class SlackChart {
  readonly element = h("div", { class: "chart slack", "data-testid": "slack-chart" });
  private plot: uPlot | null = null;
  private before: Timing | null = null;
  private readonly times: number[] = [];
  private readonly least: number[] = [];
  private readonly median: number[] = [];

  constructor() {
    new ResizeObserver(() => {
      if (this.element.clientWidth > 0) this.plot?.setSize({ width: this.element.clientWidth, height: this.element.clientHeight });
    }).observe(this.element);
    theme.on("change", () => {
      this.plot?.destroy();
      this.plot = null;
    });
  }

  add(timing: Timing, dt_s: number): void {
    if (this.before && timing.steps > this.before.steps && timing.slack && this.before.slack) {
      const lately = since(timing.slack, this.before.slack);
      if (lately.length > 0) {
        this.times.push(Number(timing.steps) * dt_s);
        this.least.push(Math.min(...lately.map((bin) => bin.atMost_ns)));
        this.median.push(quantile(lately, 0.5));
        if (this.times.length > kMax) for (const column of [this.times, this.least, this.median]) column.shift();
      }
    } else if (this.before && timing.steps < this.before.steps) {
      for (const column of [this.times, this.least, this.median]) column.length = 0;
    }
    this.before = timing;
  }

  draw(): void {
    if (this.element.clientWidth === 0) return;
    if (!this.plot) this.plot = new uPlot(this.options(), [[], [], []], this.element);
    this.plot.setData([this.times, this.least, this.median]);
  }

  private options(): uPlot.Options {
    const line = styleColour("--grid");
    const axis = { stroke: styleColour("--ink-2"), font: "11px system-ui, sans-serif", grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
    return {
      width: this.element.clientWidth,
      height: this.element.clientHeight,
      padding: [8, 10, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, (most ?? 1) * 1.08 || 1] } },
      axes: [
        { ...axis, size: 26, values: (_, ticks) => ticks.map((tick) => `${tick}\u202fs`) },
        { ...axis, size: 58, values: (_, ticks) => ticks.map((tick) => duration(tick).replace(/\.0+(?=\D)/, "")) },
      ],
      series: [
        {},
        { stroke: courseColour(1, theme.dark), width: 1.75, points: { show: true, size: 3 } },
        { stroke: courseColour(0, theme.dark), width: 1.5, points: { show: false } },
      ],
    };
  }
}
