// One axis: its slider, what is commanded here, what is in force.
import { quantity } from "../app/format";
import { h, setAttribute, setHidden, setText, setUsable } from "../ui/dom";
import { type Axis, commandAt, deflectionAt } from "./axes";
import { keyName } from "./key_names";

const kRange = 1000;

export interface RowState {
  deflection: number;
  inForce: number | undefined;
  /** Why the slider cannot be moved; empty: it can. */
  reason: string;
  /** What keeps the actuator from obeying. */
  hold: "" | "stopped" | "safe" | "resting" | "fault";
  canRearm: boolean;
}

export class AxisRow {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly mark = h("i", { class: "in-force", title: "In force" });
  private readonly own = h("span", { class: "num" });
  private readonly inForce = h("span", { class: "num" });
  private readonly chip = h("span", { class: "chip tiny" });
  private readonly rearm: HTMLButtonElement;

  constructor(
    private readonly axis: Axis,
    onSlide: (deflection: number | null) => void,
    onRearm: () => void,
  ) {
    const name = axis.actuator;
    this.slider = h("input", {
      type: "range", min: -kRange, max: kRange, step: 10, value: 0, class: "slider", "aria-label": axis.label, "data-testid": `axis-${name}`,
    });
    this.own.dataset["testid"] = `own-${name}`;
    this.inForce.dataset["testid"] = `force-${name}`;
    this.chip.dataset["testid"] = `hold-${name}`;
    this.rearm = h("button", { class: "button small", "data-testid": `rearm-${name}`, "data-hint": "It may be moved again" }, "Re-arm");
    this.rearm.addEventListener("click", onRearm);
    this.slider.addEventListener("input", () => onSlide(Number(this.slider.value) / kRange));
    const letGo = (): void => onSlide(null);
    for (const event of ["keyup", "blur"]) this.slider.addEventListener(event, letGo);
    // The pointer may be let go anywhere.
    this.slider.addEventListener("pointerdown", () => {
      for (const event of ["pointerup", "pointercancel"]) window.addEventListener(event, letGo, { once: true });
    });
    this.element = h(
      "div",
      { class: "axis", "data-testid": `axis-row-${name}` },
      h("div", { class: "axis-head" }, h("span", { class: "axis-label" }, axis.label), this.chip, this.rearm),
      h(
        "div",
        { class: "axis-slide" },
        end(axis.down || "down", axis.keyDown, "start"),
        h("div", { class: "slider-box" }, this.slider, this.mark),
        end(axis.up || "up", axis.keyUp, "end"),
      ),
      h("div", { class: "axis-values" }, h("span", { class: "pair" }, "Yours ", this.own), h("span", { class: "pair" }, "In force ", this.inForce)),
    );
  }

  update(state: RowState): void {
    const value = String(Math.round(state.deflection * kRange));
    if (this.slider.value !== value) this.slider.value = value;
    const own = quantity(commandAt(this.axis, state.deflection), this.axis.unit);
    setText(this.own, own);
    setAttribute(this.slider, "aria-valuetext", own);
    setUsable(this.slider, state.reason);
    setText(this.inForce, state.inForce === undefined ? "–" : quantity(state.inForce, this.axis.unit));
    const at = state.inForce === undefined ? 0 : deflectionAt(this.axis, state.inForce);
    // The thumb's centre runs from half its width to the track's end less half of it.
    this.mark.style.left = `calc(9px + (100% - 18px) * ${((at + 1) / 2).toFixed(4)})`;
    const words: Record<RowState["hold"], [string, string]> = {
      "": ["obeys", "good"], stopped: ["e-stopped", "bad"], safe: ["made safe", "warn"], resting: ["not commanded", "idle"], fault: ["fault injected", "warn"],
    };
    const [word, tone] = words[state.hold];
    setText(this.chip, word);
    setAttribute(this.chip, "data-tone", tone);
    setHidden(this.rearm, state.hold !== "safe"); // an emergency stop is lifted as a whole, with a question
    setUsable(this.rearm, state.canRearm ? "" : "Take control first, or ask an operator.");
  }
}

function end(word: string, code: string, side: string): HTMLElement {
  return h("span", { class: `axis-end ${side}` }, h("span", { class: "axis-word" }, word), code !== "" && h("kbd", {}, keyName(code)));
}
