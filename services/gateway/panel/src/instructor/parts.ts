// What the instructor's sections are made of.
import type { Context } from "../app/context";
import { reasonAgainst } from "../app/context";
import type { Verb } from "../net/verbs";
import { type Child, h, setUsable } from "../ui/dom";

export function section(id: string, heading: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "card", "data-testid": `section-${id}` }, h("h3", {}, heading), ...children);
}

export function field(label: string, control: HTMLElement, unit?: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", { class: "label" }, label), h("span", { class: "field-row" }, control, unit));
}

export function numberInput(testId: string, label: string, value: string, width = ""): HTMLInputElement {
  return h("input", { class: `input num ${width}`, type: "text", inputmode: "decimal", value, "aria-label": label, "data-testid": testId });
}

/** null: it is no number. */
export function numberOf(input: HTMLInputElement): number | null {
  const text = input.value.trim().replace(",", ".").replace("\u2212", "-");
  const value = text === "" ? NaN : Number(text);
  const good = Number.isFinite(value);
  input.classList.toggle("wrong", !good);
  input.setAttribute("aria-invalid", String(!good));
  return good ? value : null;
}

/** Enabled where the role permits the verb, and nothing else speaks against it. */
export class Permits {
  private controls: { control: HTMLButtonElement | HTMLInputElement | HTMLSelectElement; verb: Verb; also: () => string; seen: boolean }[] = [];

  constructor(private readonly context: Context) {
    for (const event of ["scene", "link", "status", "snapshots"] as const) context.store.on(event, () => this.update());
  }

  add<T extends HTMLButtonElement | HTMLInputElement | HTMLSelectElement>(control: T, verb: Verb, also: () => string = () => ""): T {
    this.controls.push({ control, verb, also, seen: false });
    setUsable(control, reasonAgainst(this.context, verb) || also());
    return control;
  }

  update(): void {
    for (const known of this.controls) {
      known.seen = known.seen || known.control.isConnected;
      setUsable(known.control, reasonAgainst(this.context, known.verb) || known.also());
    }
    this.controls = this.controls.filter((known) => known.control.isConnected || !known.seen); // rows of lists come and go
  }
}

export function button(testId: string, label: string, kind = ""): HTMLButtonElement {
  return h("button", { class: `button ${kind}`, "data-testid": testId, type: "button" }, label);
}
