// The log: newest first, bounded.
import type { Event } from "../generated/kinloop/v1/event_pb";
import { h, setText } from "../ui/dom";
import type { Context } from "./context";
import { addTo, belongsTo, type Fold, foldOf, foldsOf, sentenceOfFold } from "./event_folds";
import { isForTrainees, sentenceOf, weightOf } from "./event_text";
import { count, plantTime } from "./format";

const kMaxShown = 300;

export class EventsPanel {
  readonly element: HTMLElement;
  private readonly list = h("div", { class: "log", role: "log", "aria-label": "Events", "data-testid": "events" });
  private readonly filter = h("input", { class: "input grow", type: "search", placeholder: "Filter by kind or text", "aria-label": "Filter events", "data-testid": "events-filter" });
  private readonly weight = h("select", { class: "input", "aria-label": "Weight", "data-testid": "events-weight" });
  private readonly said = h("span", { class: "sub num" });
  private newest: Fold | undefined; // the line on top

  constructor(private readonly context: Context) {
    for (const [value, label] of [["", "All"], ["bad", "Alarms"], ["warn", "Alarms and warnings"]] as const) this.weight.append(h("option", { value }, label));
    const clear = h("button", { class: "button small", "data-testid": "events-clear" }, "Clear");
    clear.addEventListener("click", () => this.context.store.clearEvents());
    this.element = h("div", { class: "panel events" }, h("div", { class: "bar" }, this.filter, this.weight, clear), this.said, this.list);
    this.filter.addEventListener("input", () => this.show());
    this.weight.addEventListener("change", () => this.show());
    context.store.on("event", (event) => this.add(event));
    context.store.on("events", () => this.show());
    context.store.on("scene", () => this.show()); // it brings the role
    this.show();
  }

  opened(): void {
    this.show();
  }

  private passes(event: Event): boolean {
    if (!this.context.store.isInstructor && !isForTrainees(event.kind)) return false;
    const weight = weightOf(event.kind);
    if (this.weight.value === "bad" && weight !== "bad") return false;
    if (this.weight.value === "warn" && weight !== "bad" && weight !== "warn") return false;
    const wanted = this.filter.value.toLowerCase();
    return wanted === "" || `${event.kind} ${sentenceOf(event)}`.toLowerCase().includes(wanted);
  }

  private add(event: Event): void {
    if (this.element.hidden) return;
    this.tally();
    if (!this.passes(event)) return;
    this.list.querySelector(".hint")?.remove();
    if (this.newest && belongsTo(this.newest, event)) {
      addTo(this.newest, event);
      this.list.firstElementChild?.replaceWith(this.row(this.newest));
      return;
    }
    this.newest = foldOf(event);
    this.list.prepend(this.row(this.newest));
    while (this.list.children.length > kMaxShown) this.list.lastElementChild?.remove();
  }

  private show(): void {
    if (this.element.hidden) return;
    const passing = foldsOf(this.context.store.events.filter((event) => this.passes(event))).slice(-kMaxShown).reverse();
    this.newest = passing[0];
    this.list.replaceChildren(...passing.map((fold) => this.row(fold)));
    if (passing.length === 0) this.list.append(h("div", { class: "hint" }, "No events."));
    this.tally();
  }

  private tally(): void {
    setText(this.said, `${count(this.context.store.events.length)} kept, newest first`);
  }

  private row(fold: Fold): HTMLElement {
    const event = fold.newest;
    const dt_s = this.context.store.scene?.description?.dtS ?? 0;
    return h(
      "div",
      { class: "log-row", "data-weight": weightOf(event.kind), "data-kind": event.kind },
      h("span", { class: "num sub", title: `step ${count(event.step)}` }, plantTime(Number(event.step) * dt_s)),
      h("span", { class: "log-kind" }, event.kind.replace(/_/g, " ")),
      h("span", { class: "log-text" }, sentenceOfFold(fold)),
    );
  }
}
