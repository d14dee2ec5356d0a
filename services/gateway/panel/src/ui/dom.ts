// Elements in one expression.

export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** Makes an element; attributes that are functions are listeners ("onclick"), false and null ones are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

const svgSpace = "http://www.w3.org/2000/svg";

/** A 20 by 20 line drawing; the paths are those of the file icons.ts. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(svgSpace, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const drawn = document.createElementNS(svgSpace, "path");
  drawn.setAttribute("d", path);
  svg.append(drawn);
  return svg;
}

/** Writes only what differs, so that a page that shows the same costs nothing. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** Enables a control, or disables it with the reason as its tooltip. */
export function setUsable(control: HTMLButtonElement | HTMLInputElement | HTMLSelectElement, reason: string): void {
  const disabled = reason !== "";
  if (control.disabled !== disabled) control.disabled = disabled;
  const shown = disabled ? reason : (control.dataset["hint"] ?? "");
  if (control.title !== shown) control.title = shown;
}
