// All keys on one sheet.
import { h } from "./dom";
import { openDialog } from "./dialogs";

const rows: [string, string][] = [
  ["Esc Esc, F8", "Emergency stop, from anywhere"],
  ["1 … 5", "Drive, plots, timing, instructor, events"],
  ["Space", "Pause or resume the plots (on the tab Plots)"],
  ["Shift + C", "Take control, or give it back"],
  ["keys on the sliders", "Move the axis while you hold control"],
  ["arrow keys on a slider", "Move it in small steps; it springs back when you leave it"],
  ["drag, right drag, wheel", "Turn, shift, zoom the picture"],
  ["Shift + F", "Fit the mechanism into the picture"],
  ["?", "This sheet"],
];

export function openHelp(): void {
  if (document.querySelector("[data-testid=help-sheet]")) return;
  const list = h("dl", { class: "keys" });
  for (const [key, what] of rows) list.append(h("dt", {}, h("kbd", {}, key)), h("dd", {}, what));
  const close = h("button", { class: "button primary", "data-testid": "help-close", autofocus: true }, "Close");
  const dialog = openDialog(
    "help-sheet",
    "Keys and rules",
    list,
    h(
      "p",
      {},
      "Control is held only while this page can be seen. When it is hidden, loses the keyboard with keys held, or loses the link, " +
        "all axes go to rest and the actuators are given back; the plant's own policies make them safe.",
    ),
    h("p", {}, "After an actuator was made safe, bring its axis to rest once, or press Re-arm. An emergency stop is lifted only by Re-arm."),
    h("div", { class: "dialog-buttons" }, close),
  );
  close.addEventListener("click", () => dialog.close());
}
