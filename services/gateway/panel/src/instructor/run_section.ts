// Start, pause, step, reset.
import type { Context } from "../app/context";
import { PlantState } from "../generated/kinloop/v1/event_pb";
import { h, icon, setHidden } from "../ui/dom";
import { confirmed } from "../ui/dialogs";
import { icons } from "../ui/icons";
import { report } from "../ui/toasts";
import { button, numberInput, numberOf, type Permits, section } from "./parts";

export function runSection({ link, store }: Context, permits: Permits): HTMLElement {
  const state = (): PlantState => store.status?.state ?? PlantState.UNSPECIFIED;
  const start = permits.add(button("run-start", "Start", "primary"), "start", () => (state() === PlantState.STARTING ? "" : "It has started already."));
  const pause = permits.add(button("run-pause", "Pause"), "pause", () => (state() === PlantState.RUNNING ? "" : "It is not running."));
  const resume = permits.add(button("run-resume", "Resume", "primary"), "resume", () => (state() === PlantState.PAUSED ? "" : "It is not paused."));
  const reset = permits.add(button("run-reset", "Reset"), "reset");
  const steps = numberInput("run-steps", "Steps", "1", "narrow");
  const step = permits.add(button("run-step", "Step"), "step", () => (state() === PlantState.RUNNING ? "Pause first." : ""));
  pause.prepend(icon(icons.pause));
  resume.prepend(icon(icons.play));
  step.prepend(icon(icons.step));
  reset.prepend(icon(icons.reset));
  start.addEventListener("click", () => void report("Start", link.control({ case: "start", value: {} })));
  pause.addEventListener("click", () => void report("Pause", link.control({ case: "pause", value: {} })));
  resume.addEventListener("click", () => void report("Resume", link.control({ case: "resume", value: {} })));
  step.addEventListener("click", () => {
    const n = numberOf(steps);
    if (n !== null && n >= 1) void report("Step", link.control({ case: "step", value: { steps: BigInt(Math.floor(n)) } }));
  });
  reset.addEventListener("click", () => {
    void confirmed("Reset", "The plant goes back to the state in which the run began.", "Reset").then((yes) => {
      if (yes) void report("Reset", link.control({ case: "reset", value: {} }));
    });
  });
  // Two buttons share a place: what cannot be done now is not offered.
  const show = (): void => {
    setHidden(start, state() !== PlantState.STARTING);
    setHidden(pause, state() === PlantState.PAUSED || state() === PlantState.STARTING);
    setHidden(resume, state() !== PlantState.PAUSED);
  };
  store.on("status", show);
  show();
  return section("run", "Run", h("div", { class: "row" }, start, pause, resume, step, steps, h("span", { class: "sub" }, "steps"), h("span", { class: "grow" }), reset));
}
