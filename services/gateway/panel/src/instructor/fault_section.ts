// Faults and overrides of signals, and those that are in force.
import type { Context } from "../app/context";
import { FaultKind } from "../generated/kinloop/v1/control_pb";
import type { Scene } from "../generated/kinloop/v1/panel_pb";
import { h, setHidden, setText } from "../ui/dom";
import { report } from "../ui/toasts";
import { button, field, numberInput, numberOf, type Permits, section } from "./parts";

type Choice = { label: string; kind: FaultKind | "override"; value: string; unit: (signal: string) => string; needsValue: boolean };

const choices: Choice[] = [
  { label: "Off", kind: FaultKind.OFF, value: "", unit: () => "", needsValue: false },
  { label: "Stuck", kind: FaultKind.STUCK, value: "", unit: () => "", needsValue: false },
  { label: "Bias", kind: FaultKind.BIAS, value: "0.1", unit: (unit) => unit, needsValue: true },
  { label: "Drift", kind: FaultKind.DRIFT, value: "0.01", unit: (unit) => `${unit || "1"}/s`, needsValue: true },
  { label: "Noise", kind: FaultKind.NOISE, value: "0.01", unit: (unit) => unit, needsValue: true },
  { label: "Wrong sign", kind: FaultKind.WRONG_SIGN, value: "", unit: () => "", needsValue: false },
  { label: "Delay", kind: FaultKind.DELAY, value: "0.1", unit: () => "s", needsValue: true },
  { label: "Lost samples", kind: FaultKind.DROP, value: "0.2", unit: () => "share", needsValue: true },
  { label: "Override", kind: "override", value: "0", unit: (unit) => unit, needsValue: true },
];

export function faultSection({ link, store }: Context, permits: Permits): HTMLElement {
  const signal = permits.add(h("select", { class: "input grow", "aria-label": "Signal", "data-testid": "fault-signal" }), "injectFault");
  const kind = permits.add(h("select", { class: "input", "aria-label": "Kind of fault", "data-testid": "fault-kind" }), "injectFault");
  const value = numberInput("fault-value", "Value", "");
  const unit = h("span", { class: "unit" });
  const seconds = numberInput("fault-duration", "Duration in seconds, 0: until cleared", "0");
  const inject = permits.add(button("fault-inject", "Inject", "primary"), "injectFault");
  const clear = permits.add(button("fault-clear-all", "Clear all"), "clearFaults");
  const list = h("div", { class: "list", "data-testid": "faults" });
  const valueField = field("Value", value, unit);
  choices.forEach((choice, i) => kind.append(h("option", { value: i }, choice.label)));

  const chosen = (): Choice => choices[Number(kind.value)] ?? (choices[0] as Choice);
  const showUnit = (): void => {
    const all = [...(store.scene?.description?.sensors ?? []), ...(store.scene?.description?.actuators ?? [])];
    setText(unit, chosen().unit(all.find((known) => known.name === signal.value)?.unit ?? ""));
    valueField.classList.toggle("absent", !chosen().needsValue);
  };
  kind.addEventListener("change", () => {
    value.value = chosen().value;
    showUnit();
  });
  signal.addEventListener("change", showUnit);

  const fill = (scene: Scene): void => {
    const before = signal.value;
    const group = (label: string, names: string[]): HTMLElement => h("optgroup", { label }, ...names.map((name) => h("option", { value: name }, name)));
    signal.replaceChildren(
      group("Sensors", (scene.description?.sensors ?? []).map((sensor) => sensor.name)),
      group("Actuators", (scene.description?.actuators ?? []).map((actuator) => actuator.name)),
    );
    if (before) signal.value = before;
    showUnit();
  };
  store.on("scene", fill);

  inject.addEventListener("click", () => {
    const choice = chosen();
    const amount = choice.needsValue ? numberOf(value) : 0;
    const durationS = numberOf(seconds);
    if (amount === null || durationS === null) return;
    const request =
      choice.kind === "override"
        ? link.control({ case: "override", value: { signal: signal.value, value: amount, durationS } })
        : link.control({ case: "injectFault", value: { signal: signal.value, kind: choice.kind, value: amount, durationS } });
    void report(choice.label, request);
  });
  clear.addEventListener("click", () => void report("Clear faults", link.control({ case: "clearFaults", value: {} })));

  let shown = "";
  store.on("status", ({ faults }) => {
    const now = faults.map((fault) => `${fault.signal} ${fault.kind}`).join("\n");
    if (now === shown) return;
    shown = now;
    list.replaceChildren(
      ...faults.map((fault) => {
        const off = permits.add(button(`fault-clear-${fault.signal}`, "Clear", "small"), "clearFaults");
        off.addEventListener("click", () => {
          const request =
            fault.kind === "override"
              ? link.control({ case: "override", value: { signal: fault.signal, off: true } })
              : link.control({ case: "clearFaults", value: { signal: fault.signal } });
          void report("Clear", request);
        });
        return h("div", { class: "list-row" }, h("span", { class: "chip tiny", "data-tone": "warn" }, fault.kind.replace(/_/g, " ")), h("span", { class: "grow ellipsis" }, fault.signal), off);
      }),
    );
    setHidden(none, faults.length > 0);
    permits.update();
  });
  const none = h("div", { class: "hint" }, "No fault is in force.");
  showUnit();
  return section(
    "faults",
    "Faults and overrides",
    h("div", { class: "row fields" }, field("Signal", signal), field("Kind", kind)),
    h("div", { class: "row fields" }, valueField, field("For (0: until cleared)", seconds, h("span", { class: "unit" }, "s")), inject),
    list,
    h("div", { class: "row" }, none, h("span", { class: "grow" }), clear),
  );
}
