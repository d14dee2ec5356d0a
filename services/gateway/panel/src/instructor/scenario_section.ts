// Buttons that the rig's file defines: requests one after the other.
import { create } from "@bufbuild/protobuf";
import type { Context } from "../app/context";
import { reasonAgainst } from "../app/context";
import { type ControlRequest, ControlRequestSchema } from "../generated/kinloop/v1/control_pb";
import type { Scenario, Scene } from "../generated/kinloop/v1/panel_pb";
import type { VerbInit } from "../net/wire";
import { h, setHidden, setUsable } from "../ui/dom";
import { messageOf, toast } from "../ui/toasts";
import { button, section } from "./parts";

export function scenarioSection(context: Context): HTMLElement {
  const { store } = context;
  const list = h("div", { class: "scenarios" });
  const element = section("scenarios", "Scenarios", list);
  let made: { control: HTMLButtonElement; scenario: Scenario }[] = [];
  const judge = (): void => {
    for (const { control, scenario } of made) setUsable(control, scenario.requests.map((request) => reasonOf(context, request)).find((reason) => reason !== "") ?? "");
  };
  const show = (scene: Scene | null): void => {
    const scenarios = scene?.panel?.scenarios ?? [];
    made = scenarios.map((scenario, i) => {
      const control = button(`scenario-${i}`, scenario.name, "scenario");
      control.dataset["hint"] = scenario.notes;
      control.addEventListener("click", () => void play(context, scenario, control));
      return { control, scenario };
    });
    list.replaceChildren(...made.map(({ control, scenario }) => h("div", { class: "scenario-row" }, control, scenario.notes !== "" && h("span", { class: "hint" }, scenario.notes))));
    setHidden(element, scenarios.length === 0);
    judge();
  };
  store.on("scene", show);
  store.on("link", judge);
  show(store.scene);
  return element;
}

function reasonOf(context: Context, request: ControlRequest): string {
  return request.verb.case ? reasonAgainst(context, request.verb.case) : "";
}

async function play({ link }: Context, scenario: Scenario, control: HTMLButtonElement): Promise<void> {
  control.classList.add("busy");
  try {
    for (const [i, request] of scenario.requests.entries()) {
      const { verb } = create(ControlRequestSchema, request);
      try {
        await link.control(verb as VerbInit);
      } catch (error) {
        toast(`${scenario.name}, step ${i + 1}: ${messageOf(error)}`, "bad");
        return;
      }
    }
    toast(`${scenario.name}: done.`, "good");
  } finally {
    control.classList.remove("busy");
  }
}
