// A push on a body.
import type { Context } from "../app/context";
import { h } from "../ui/dom";
import { report } from "../ui/toasts";
import { button, field, numberInput, numberOf, type Permits, section } from "./parts";

export function pushSection({ link, store }: Context, permits: Permits): { element: HTMLElement; pick: (body: string) => void } {
  const body = permits.add(h("select", { class: "input grow", "aria-label": "Body", "data-testid": "push-body" }), "applyForce");
  const force = ["x", "y", "z"].map((axis) => numberInput(`push-${axis}`, `Force along ${axis} in newtons`, "0", "narrow"));
  const seconds = numberInput("push-duration", "Duration in seconds, 0: one step", "0.2", "narrow");
  const push = permits.add(button("push-apply", "Push", "primary"), "applyForce");
  store.on("scene", (scene) => {
    const before = body.value;
    body.replaceChildren(...(scene.description?.bodies ?? []).map((name) => h("option", { value: name }, name)));
    if (before) body.value = before;
  });
  push.addEventListener("click", () => {
    const values = force.map(numberOf);
    const durationS = numberOf(seconds);
    if (values.includes(null) || durationS === null) return;
    void report("Push", link.control({ case: "applyForce", value: { body: body.value, force: values as number[], durationS } }));
  });
  const element = section(
    "push",
    "Push",
    h("div", { class: "row fields" }, field("Body (or double-click it in the picture)", body)),
    h("div", { class: "row fields" }, field("Force x, y, z", h("span", { class: "field-row" }, ...force), h("span", { class: "unit" }, "N")), field("For", seconds, h("span", { class: "unit" }, "s")), push),
  );
  return { element, pick: (name) => void (body.value = name) };
}
