// Short words at the corner of the page: what was refused, and why.
import { Refusal } from "../net/link";
import { h } from "./dom";

export type Tone = "info" | "good" | "warn" | "bad";
const kStays_ms = { info: 3500, good: 2500, warn: 6000, bad: 8000 };
const kMax = 4;

const holder = h("div", { class: "toasts", role: "status", "aria-live": "polite", "data-testid": "toasts" });

export function mountToasts(parent: HTMLElement): void {
  parent.append(holder);
}

export function toast(text: string, tone: Tone = "info"): void {
  dismiss(text);
  const close = h("button", { class: "toast-close", "aria-label": "Dismiss" }, "×");
  const element = h("div", { class: `toast ${tone}`, "data-testid": "toast" }, h("span", {}, text), close);
  close.addEventListener("click", () => element.remove());
  holder.append(element);
  while (holder.children.length > kMax) holder.firstElementChild?.remove();
  setTimeout(() => element.remove(), kStays_ms[tone]);
}

/** Takes back what no longer holds. */
export function dismiss(text: string): void {
  for (const known of holder.children) if (known.querySelector("span")?.textContent === text) known.remove();
}

/** What the gateway answered, in its own words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Shows the refusal of a request; nothing where it went well. */
export async function report(what: string, request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    toast(`${what}: ${messageOf(error)}`, error instanceof Refusal ? "bad" : "warn");
    return false;
  }
}
