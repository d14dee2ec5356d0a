// The dock beside the picture: one tab at a time, as wide as one likes.
import { h } from "../ui/dom";

export interface Tab {
  id: string;
  label: string;
  element: HTMLElement;
  opened?: () => void;
}

const kTabKey = "kinloop.tab";
const kWidthKey = "kinloop.dock";
const kLeast_px = 360;

export class Tabs {
  readonly element: HTMLElement;
  readonly splitter: HTMLElement;
  current = "";
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(private readonly tabs: Tab[]) {
    const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    for (const tab of tabs) {
      const button = h("button", { class: "tab", role: "tab", id: `tab-${tab.id}`, "aria-controls": `panel-${tab.id}`, "data-testid": `tab-${tab.id}` }, tab.label);
      button.addEventListener("click", () => this.open(tab.id));
      this.buttons.set(tab.id, button);
      bar.append(button);
      tab.element.id = `panel-${tab.id}`;
      tab.element.setAttribute("role", "tabpanel");
      tab.element.setAttribute("aria-labelledby", `tab-${tab.id}`);
      tab.element.dataset["testid"] = `panel-${tab.id}`;
      tab.element.hidden = true;
    }
    bar.addEventListener("keydown", (event) => this.arrows(event));
    this.element = h("aside", { class: "dock" }, bar, ...tabs.map((tab) => tab.element));
    this.splitter = h("div", { class: "splitter", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the panels", tabindex: 0, "data-testid": "splitter" });
    this.watchSplitter();
    const kept = localStorage.getItem(kTabKey) ?? "";
    this.open(tabs.some((tab) => tab.id === kept) ? kept : (tabs[0]?.id ?? ""));
  }

  open(id: string): void {
    this.current = id;
    localStorage.setItem(kTabKey, id);
    for (const tab of this.tabs) {
      const isOpen = tab.id === id;
      tab.element.hidden = !isOpen;
      const button = this.buttons.get(tab.id);
      button?.setAttribute("aria-selected", String(isOpen));
      if (button) button.tabIndex = isOpen ? 0 : -1;
      if (isOpen) tab.opened?.();
    }
  }

  openNumber(n: number): void {
    const tab = this.tabs[n - 1];
    if (tab && this.offers(tab)) this.open(tab.id);
  }

  /** Whether a tab is there at all for who looks, and what it is called for them. */
  offer(id: string, isOffered: boolean, label: string): void {
    const button = this.buttons.get(id);
    if (!button) return;
    button.hidden = !isOffered;
    button.textContent = label;
    if (!isOffered && this.current === id && this.tabs[0]) this.open(this.tabs[0].id);
  }

  private offers(tab: Tab): boolean {
    return this.buttons.get(tab.id)?.hidden !== true;
  }

  private arrows(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const offered = this.tabs.filter((tab) => this.offers(tab));
    const i = offered.findIndex((tab) => tab.id === this.current);
    const next = offered[(i + step + offered.length) % offered.length];
    if (!next) return;
    this.open(next.id);
    this.buttons.get(next.id)?.focus();
    event.preventDefault();
  }

  private setWidth(width_px: number): void {
    const most = Math.max(kLeast_px, window.innerWidth - 360);
    const width = Math.round(Math.min(most, Math.max(kLeast_px, width_px)));
    document.documentElement.style.setProperty("--dock", `${width}px`);
    this.splitter.setAttribute("aria-valuenow", String(width));
    localStorage.setItem(kWidthKey, String(width));
  }

  private watchSplitter(): void {
    const kept = Number(localStorage.getItem(kWidthKey));
    if (kept > 0) this.setWidth(kept);
    this.splitter.addEventListener("pointerdown", (event) => {
      this.splitter.setPointerCapture(event.pointerId);
      const move = (moved: PointerEvent): void => this.setWidth(window.innerWidth - moved.clientX);
      this.splitter.addEventListener("pointermove", move);
      this.splitter.addEventListener("pointerup", () => this.splitter.removeEventListener("pointermove", move), { once: true });
    });
    this.splitter.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowLeft" ? 24 : event.key === "ArrowRight" ? -24 : 0;
      if (step !== 0) this.setWidth(this.element.clientWidth + step);
    });
  }
}
