// A list of all signals with a search field.
import { h, icon, setHidden } from "../ui/dom";
import { icons } from "../ui/icons";
import type { History } from "./history";

const kMaxShown = 200;

export function picker(history: History, onToggle: (name: string) => void, chosen: () => string[]): HTMLElement {
  const search = h("input", { class: "input wide", type: "search", placeholder: "Search signals", "aria-label": "Search signals", "data-testid": "signal-search" });
  const list = h("div", { class: "menu-list", role: "listbox", "aria-label": "Signals" });
  const menu = h("div", { class: "menu signal-menu", hidden: true }, search, list);
  const open = h("button", { class: "icon-button small", title: "Add or remove signals", "aria-label": "Add signal", "aria-expanded": "false", "data-testid": "pane-add-signal" }, icon(icons.plus));
  const root = h("div", { class: "picker" }, open, menu);

  const fill = (): void => {
    const words = search.value.toLowerCase().split(/\s+/);
    const now = chosen();
    const found = history.signals.filter((signal) => words.every((word) => signal.name.toLowerCase().includes(word)));
    list.replaceChildren(
      ...found.slice(0, kMaxShown).map((signal) => {
        const on = now.includes(signal.name);
        const item = h(
          "button",
          { class: "menu-item", role: "option", "aria-selected": String(on), "data-testid": `signal-${signal.name}` },
          h("span", { class: "tick" }, on ? "✓" : ""), h("span", { class: "grow" }, signal.name), h("span", { class: "sub" }, signal.unit),
        );
        item.addEventListener("click", () => {
          onToggle(signal.name);
          fill(); // rebuilds the list: the focus goes on to the same entry
          list.querySelector<HTMLElement>(`[data-testid="signal-${CSS.escape(signal.name)}"]`)?.focus();
        });
        return item;
      }),
    );
    if (found.length === 0) list.append(h("div", { class: "hint" }, "No such signal."));
  };
  const show = (shown: boolean): void => {
    setHidden(menu, !shown);
    open.setAttribute("aria-expanded", String(shown));
    if (!shown) return;
    fill();
    search.focus();
  };
  open.addEventListener("click", () => show(menu.hidden));
  search.addEventListener("input", fill);
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || menu.hidden) return;
    show(false);
    open.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.hidden && !root.contains(event.target as Node)) show(false);
  });
  return root;
}
