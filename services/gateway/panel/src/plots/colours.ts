// Of courses: told apart by most eyes, on white and on black.
const light = ["#0b6bcb", "#d9480f", "#2b8a3e", "#9c36b5", "#c99700", "#0c8599", "#c2255c", "#5c5f66"];
const dark = ["#5aa9ff", "#ff8f4d", "#5fd07d", "#d98cf0", "#f2c744", "#45d0e5", "#ff7aa8", "#b6bcc6"];

export function courseColour(i: number, isDark: boolean): string {
  const colours = isDark ? dark : light;
  return colours[i % colours.length] as string;
}

/** A colour of the style sheet, for what draws on a canvas. */
export function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}
