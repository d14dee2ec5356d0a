// The tab that says how well the plant keeps its times.
import type { Context } from "../app/context";
import { kPolicyKinds, sentenceOf } from "../app/event_text";
import { count, duration } from "../app/format";
import { Mode } from "../generated/kinloop/v1/describe_pb";
import type { Histogram, Spread, Timing } from "../generated/kinloop/v1/event_pb";
import { courseColour } from "../plots/colours";
import { h, setAttribute, setText } from "../ui/dom";
import { theme } from "../ui/theme";
import { verdictOf } from "./deadlines";
import { EnergySection } from "./energy_section";
import { HistogramChart } from "./histogram_chart";
import { logBins, quantile, since } from "./histograms";
import { SlackChart } from "./slack_chart";

type Span = "page" | "run";
const kMaxPolicyEvents = 8;

export class TimingPanel {
  readonly element: HTMLElement;
  private readonly sentence = h("p", { class: "verdict", "data-testid": "deadline-sentence" });
  private readonly wakeup = new HistogramChart("Wake-up latency", "histogram-wakeup");
  private readonly execution = new HistogramChart("Execution time", "histogram-execution");
  private readonly wakeupText = h("span", { class: "num sub" });
  private readonly executionText = h("span", { class: "num sub" });
  private readonly slack = new SlackChart();
  private readonly counters = h("div", { class: "facts", "data-testid": "timing-counters" });
  private readonly worst = h("tbody", {});
  private readonly policy = h("div", { class: "mini-log", "data-testid": "policy-events" });
  private readonly energy = new EnergySection();
  private span: Span = "run";

  constructor(private readonly context: Context) {
    const { store } = context;
    this.element = h(
      "div",
      { class: "panel timing" },
      this.sentence,
      h("div", { class: "bar" }, h("span", { class: "grow label" }, "Histograms of"), this.spanButtons()),
      h("figure", {}, h("figcaption", {}, "Wake-up latency ", this.wakeupText), this.wakeup.element),
      h("figure", {}, h("figcaption", {}, "Execution time ", this.executionText), this.execution.element),
      h("figure", {}, h("figcaption", {}, "Slack, each second: ", key(1, "least"), key(0, "median")), this.slack.element),
      this.counters,
      this.energy.element,
      h("h3", {}, "Worst steps"),
      h(
        "table",
        { class: "table", "data-testid": "worst-steps" },
        h("thead", {}, h("tr", {}, h("th", {}, "Step"), h("th", {}, "Wake-up"), h("th", {}, "Execution"), h("th", {}, "Response"))),
        this.worst,
      ),
      h("h3", {}, "Policy events"),
      this.policy,
    );
    store.on("timing", (timing) => {
      this.slack.add(timing, store.scene?.description?.dtS ?? 1e-3);
      this.show();
    });
    store.on("status", (status) => {
      if (!this.element.hidden) this.energy.show(status.energy);
    });
    store.on("event", (event) => {
      if (kPolicyKinds.includes(event.kind)) this.showPolicy();
    });
    theme.on("change", () => this.show());
    this.show();
  }

  opened(): void {
    this.show();
    this.showPolicy();
    this.energy.show(this.context.store.status?.energy);
  }

  private spanButtons(): HTMLElement {
    const buttons = ([["run", "Whole run"], ["page", "Since this page opened"]] as [Span, string][]).map(([span, label]) => {
      const button = h("button", { class: "tool", "data-testid": `span-${span}`, "aria-pressed": String(span === this.span) }, label);
      button.addEventListener("click", () => {
        this.span = span;
        buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        this.show();
      });
      return button;
    });
    return h("div", { class: "tool-row", role: "group", "aria-label": "Span of the histograms" }, ...buttons);
  }

  private show(): void {
    const { store } = this.context;
    const { timing } = store;
    const verdict = verdictOf(timing, store.scene?.description?.mode ?? Mode.REAL_TIME);
    setText(this.sentence, verdict.long);
    setAttribute(this.sentence, "data-tone", verdict.tone);
    if (!timing || this.element.hidden) return;
    const before = this.span === "page" ? store.firstTiming : null;
    this.histogram(this.wakeup, this.wakeupText, timing, timing.wakeup, before?.wakeup, timing.wakeupNs);
    this.histogram(this.execution, this.executionText, timing, timing.execution, before?.execution, timing.executionNs);
    this.slack.draw();
    this.counters.replaceChildren(
      ...facts([
        ["Steps", count(timing.steps)],
        ["Period", duration(Number(timing.periodNs))],
        ["Overruns", count(timing.overruns)],
        ["Level", String(store.status?.level ?? "–")],
        ["Failed steps", count(store.status?.failedSteps ?? 0n)],
        ["Fallbacks", count(store.status?.fallbacks ?? 0n)],
        ["Coarse steps", count(store.status?.coarseSteps ?? 0n)],
        ["Page faults", count(timing.pageFaults)],
        ["Preemptions", count(timing.preemptions)],
        ["Frames lost", count(store.status?.framesDropped ?? 0n)],
      ]),
    );
    this.worst.replaceChildren(
      ...timing.worst.slice(0, 8).map((step) => {
        const response_ns = Number(step.wakeupNs + step.executionNs);
        const late = response_ns > Number(timing.periodNs);
        return h(
          "tr",
          { class: late ? "late" : null },
          ...[count(step.step), duration(Number(step.wakeupNs)), duration(Number(step.executionNs)), duration(response_ns)].map((text) => h("td", { class: "num" }, text)),
        );
      }),
    );
  }

  private histogram(chart: HistogramChart, text: HTMLElement, timing: Timing, now: Histogram | undefined, before: Histogram | undefined, spread: Spread | undefined): void {
    if (!now) return;
    const fine = since(now, before);
    const whole = before === undefined && spread !== undefined;
    const p50_ns = whole ? Number(spread.p50) : quantile(fine, 0.5);
    const p99_ns = whole ? Number(spread.p99) : quantile(fine, 0.99);
    const max_ns = whole ? Number(spread.max) : Math.max(0, ...fine.map((bin) => bin.atMost_ns));
    chart.show(logBins(fine), [
      { at_ns: p50_ns, label: "p50", tone: "calm" },
      { at_ns: p99_ns, label: "p99", tone: "calm" },
      { at_ns: max_ns, label: "max", tone: "strong" },
      { at_ns: Number(timing.periodNs), label: "period", tone: "limit" },
    ]);
    setText(text, fine.length === 0 ? "no steps yet" : `p50 ${duration(p50_ns)} · p99 ${duration(p99_ns)} · max ${duration(max_ns)}`);
  }

  private showPolicy(): void {
    if (this.element.hidden) return;
    const lately = this.context.store.events.filter((event) => kPolicyKinds.includes(event.kind)).slice(-kMaxPolicyEvents).reverse();
    this.policy.replaceChildren(
      ...lately.map((event) => h("div", { class: "mini-row" }, h("span", { class: "num sub" }, count(event.step)), h("span", {}, sentenceOf(event)))),
      ...(lately.length === 0 ? [h("div", { class: "hint" }, "No policy has acted.")] : []),
    );
  }
}

function facts(pairs: [string, string][]): HTMLElement[] {
  return pairs.map(([label, value]) => h("div", { class: "fact" }, h("div", { class: "label" }, label), h("div", { class: "num" }, value)));
}

function key(i: number, label: string): HTMLElement {
  const swatch = h("i", { class: "swatch" });
  const paint = (): void => void (swatch.style.background = courseColour(i, theme.dark));
  theme.on("change", paint);
  paint();
  return h("span", { class: "key" }, swatch, label);
}
