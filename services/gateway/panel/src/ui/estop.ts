// The emergency stop: one place, one press, no question.
import type { Context } from "../app/context";
import { reasonAgainst } from "../app/context";
import { StopCommand } from "../app/stop_command";
import type { Store } from "../app/store";
import type { Link } from "../net/link";
import { StopPath } from "../net/stop_path";
import { h, setAttribute, setHidden, setText, setUsable } from "./dom";
import { dismiss, report, toast } from "./toasts";

const kTwice_ms = 700; // between two presses of Escape
const kConfirm_ms = 4000;
const kOnceMore = "Escape once more: emergency stop.";

export function stopCommand(link: Link, store: Store): StopCommand {
  const path = new StopPath();
  store.on("scene", (scene) => path.take(scene));
  const command = new StopCommand([
    async () => `latched in tick ${(await path.ask()).tick}`,
    async () => `step ${(await link.control({ case: "emergencyStop", value: {} })).step}`,
  ]);
  store.on("view", () => {
    if (store.latch.latched) command.seen();
  });
  store.on("latch", (latched) => {
    if (!latched) command.lifted();
  });
  return command;
}

export function estopButton(context: Context): HTMLButtonElement {
  const { stop, store } = context;
  const label = h("span", { class: "estop-label" }, "Emergency stop");
  const hint = h("span", { class: "estop-hint", role: "status", "data-testid": "estop-hint" }, "Esc Esc");
  const button = h(
    "button",
    { class: "estop", "data-testid": "estop", "aria-label": "Emergency stop: makes all actuators safe at once", "aria-keyshortcuts": "Escape Escape F8" },
    h("span", { class: "estop-face" }, label, hint),
  );
  button.addEventListener("click", () => stop.press());
  const show = (): void => {
    const isAsked = stop.state === "asked";
    const isStopped = store.latch.latched || stop.state === "confirmed";
    if (isAsked || isStopped) dismiss(kOnceMore);
    button.classList.toggle("latched", isStopped);
    button.classList.toggle("unconfirmed", isAsked);
    setAttribute(button, "aria-pressed", String(isStopped));
    setText(label, isAsked ? "Stop asked" : isStopped ? "Stopped" : "Emergency stop");
    setText(hint, isAsked ? "not confirmed" : store.latch.latched ? "until re-armed" : stop.confirmation || "Esc Esc");
  };
  store.on("latch", show);
  stop.on("state", show);
  show();

  let lastEscape_ms = -Infinity;
  // In the capture phase, so that no dialog or field can swallow it.
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.code === "F8") {
        event.preventDefault();
        stop.press();
      }
      if (event.code !== "Escape" || event.repeat) return;
      const now_ms = performance.now();
      if (now_ms - lastEscape_ms < kTwice_ms) {
        lastEscape_ms = -Infinity;
        stop.press();
      } else {
        lastEscape_ms = now_ms;
        if (!store.latch.latched && !document.querySelector("dialog[open]")) toast(kOnceMore, "warn");
      }
    },
    true,
  );
  return button;
}

/** Two clicks, the second within four seconds. */
export function rearmButton(context: Context): HTMLButtonElement {
  const { link, store } = context;
  const button = h("button", { class: "button small", "data-testid": "rearm" }, "Re-arm …");
  let armed = 0;
  const relax = (): void => {
    clearTimeout(armed);
    armed = 0;
    button.classList.remove("danger");
    setText(button, "Re-arm …");
  };
  button.addEventListener("click", () => {
    if (armed === 0) {
      armed = window.setTimeout(relax, kConfirm_ms);
      button.classList.add("danger");
      setText(button, "Confirm: actuators may move");
      return;
    }
    relax();
    void report("Re-arm", link.control({ case: "rearm", value: { actuators: [] } }));
  });
  const show = (): void => {
    setUsable(button, reasonAgainst(context, "rearm"));
    setHidden(button, !store.latch.latched);
    if (!store.latch.latched) relax();
  };
  for (const event of ["latch", "link", "scene"] as const) store.on(event, show);
  show();
  return button;
}
