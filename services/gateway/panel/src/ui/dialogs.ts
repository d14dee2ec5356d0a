// Questions that stop everything else.
import { type Child, h } from "./dom";

/** A dialog that is gone when it is closed. A modal one would cover the emergency stop, so only what is below the top bar
 * is shut off. */
export function openDialog(testId: string, heading: string, ...children: Child[]): HTMLDialogElement {
  const dialog = h("dialog", { class: "dialog", "data-testid": testId, "aria-label": heading, "aria-modal": "true" });
  dialog.append(h("h2", {}, heading), ...children.filter((child): child is Node | string => Boolean(child)));
  const scrim = h("div", { class: "scrim" });
  const main = document.querySelector<HTMLElement>(".main");
  const before = document.activeElement;
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    scrim.remove();
    if (main && !document.querySelector("dialog[open]")) main.inert = false;
    if (before instanceof HTMLElement) before.focus();
  });
  document.body.append(scrim, dialog);
  if (main) main.inert = true;
  dialog.show();
  return dialog;
}

/** Whether the person agrees; closing it in any other way is a no. */
export function confirmed(heading: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    const agree = h("button", { class: "button danger", "data-testid": "confirm-yes" }, yes);
    const cancel = h("button", { class: "button", "data-testid": "confirm-no", autofocus: true }, "Cancel");
    const dialog = openDialog("confirm", heading, h("p", {}, text), h("div", { class: "dialog-buttons" }, cancel, agree));
    let answer = false;
    agree.addEventListener("click", () => {
      answer = true;
      dialog.close();
    });
    cancel.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => resolve(answer));
  });
}

/** Asks for a token; null: none was given. */
export function askToken(wasWrong: boolean): Promise<string | null> {
  return new Promise((resolve) => {
    const input = h("input", {
      type: "password", class: "input wide", autocomplete: "off", spellcheck: "false", "aria-label": "Token",
      "data-testid": "token-input", autofocus: true,
    });
    const form = h(
      "form",
      { method: "dialog" },
      h("p", {}, wasWrong ? "The gateway does not accept this token." : "The gateway asks for a token. It is kept for this tab only."),
      input,
      h("div", { class: "dialog-buttons" }, h("button", { class: "button primary", value: "ok", "data-testid": "token-ok" }, "Connect")),
    );
    const dialog = openDialog("token-dialog", "Token", form);
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok" && input.value !== "" ? input.value : null));
  });
}
