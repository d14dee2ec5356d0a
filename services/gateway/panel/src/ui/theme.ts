// Light or dark: as the system says, until a person says otherwise.
import { Emitter } from "../app/emitter";
import { h, icon, setAttribute } from "./dom";
import { icons } from "./icons";

type Choice = "system" | "light" | "dark";
const key = "kinloop.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

class Theme extends Emitter<{ change: boolean }> {
  choice: Choice = (localStorage.getItem(key) as Choice | null) ?? "system";

  constructor() {
    super();
    system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get dark(): boolean {
    return this.choice === "system" ? system.matches : this.choice === "dark";
  }

  choose(choice: Choice): void {
    this.choice = choice;
    if (choice === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
    this.emit("change", this.dark);
  }
}

export const theme = new Theme();

const next: Record<Choice, Choice> = { system: "light", light: "dark", dark: "system" };
const faces: Record<Choice, string> = { system: icons.auto, light: icons.sun, dark: icons.moon };

export function themeButton(): HTMLButtonElement {
  const button = h("button", { class: "icon-button", "data-testid": "theme" });
  const show = (): void => {
    button.replaceChildren(icon(faces[theme.choice]));
    setAttribute(button, "aria-label", `Theme: ${theme.choice}. Switch to ${next[theme.choice]}.`);
    button.title = `Theme: ${theme.choice}`;
    button.dataset["choice"] = theme.choice;
  };
  button.addEventListener("click", () => {
    theme.choose(next[theme.choice]);
    show();
  });
  show();
  return button;
}
