// A histogram with logarithmic axes: one late step among millions must be seen.
import { duration } from "../app/format";
import { type Bin, kPerDecade } from "./histograms";

const space = "http://www.w3.org/2000/svg";
const kWidth = 420;
const kHeight = 130;
const kLeft = 34;
const kBottom = 18;
const kTop = 14;
const kFirst = 2; // 100 ns
const kLast = 8; // 100 ms

function x(log10_ns: number): number {
  return kLeft + ((Math.min(kLast, Math.max(kFirst, log10_ns)) - kFirst) / (kLast - kFirst)) * (kWidth - kLeft - 6);
}

function add(parent: Element, tag: string, attributes: Record<string, string | number>, text = ""): Element {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

export class HistogramChart {
  readonly element: SVGSVGElement;
  private readonly bars: Element;
  private readonly marks: Element;

  constructor(label: string, testId: string) {
    this.element = document.createElementNS(space, "svg");
    this.element.setAttribute("viewBox", `0 0 ${kWidth} ${kHeight}`);
    this.element.setAttribute("class", "histogram");
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", label);
    this.element.dataset["testid"] = testId;
    for (let decade = kFirst; decade <= kLast; ++decade) {
      add(this.element, "line", { x1: x(decade), x2: x(decade), y1: kTop, y2: kHeight - kBottom, class: "grid" });
      const anchor = decade === kLast ? "end" : "middle";
      add(this.element, "text", { x: x(decade), y: kHeight - 5, "text-anchor": anchor }, duration(10 ** decade).replace(/\.0+(?=\D)/, ""));
    }
    this.bars = add(this.element, "g", { class: "bars" });
    this.marks = add(this.element, "g", { class: "marks" });
    add(this.element, "line", { x1: kLeft, x2: kWidth - 6, y1: kHeight - kBottom, y2: kHeight - kBottom, class: "base" });
  }

  show(bins: Bin[], marks: { at_ns: number; label: string; tone: string }[]): void {
    const most = Math.max(10, ...bins.map((bin) => bin.count));
    const decades = Math.ceil(Math.log10(most));
    const floor = kHeight - kBottom;
    const y = (count: number): number => floor - ((Math.log10(count) + 0.3) / (decades + 0.3)) * (floor - kTop);
    this.bars.replaceChildren();
    for (let decade = 0; decade <= decades; decade += Math.max(1, Math.ceil(decades / 4))) {
      add(this.bars, "text", { x: kLeft - 5, y: y(10 ** decade) + 3, "text-anchor": "end" }, decade < 3 ? String(10 ** decade) : `10${superscript(decade)}`);
    }
    for (const { end, count } of bins) {
      const right = x(end / kPerDecade);
      const left = x((end - 1) / kPerDecade);
      const bar = add(this.bars, "rect", { x: left + 0.5, width: Math.max(1, right - left - 1), y: y(count), height: floor - y(count), class: "bar" });
      add(bar, "title", {}, `up to ${duration(10 ** (end / kPerDecade))}: ${count}`);
    }
    this.marks.replaceChildren();
    let lastX = -Infinity;
    for (const { at_ns, label, tone } of [...marks].sort((a, b) => a.at_ns - b.at_ns)) {
      if (!(at_ns > 0)) continue;
      const at = x(Math.log10(at_ns));
      add(this.marks, "line", { x1: at, x2: at, y1: kTop - 2, y2: floor, class: `mark ${tone}` });
      if (at - lastX > 30) add(this.marks, "text", { x: at, y: 9, "text-anchor": at > kWidth - 30 ? "end" : "middle", class: tone }, label);
      lastX = at;
    }
  }
}

function superscript(n: number): string {
  return String(n).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? "");
}
