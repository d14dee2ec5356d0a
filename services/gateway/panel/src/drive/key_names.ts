// KeyboardEvent.code as it is printed on the key.
const names: Record<string, string> = {
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Space: "Space", PageUp: "PgUp", PageDown: "PgDn",
  BracketLeft: "[", BracketRight: "]", Comma: ",", Period: ".", Slash: "/", Semicolon: ";", Quote: "'", Minus: "-", Equal: "=",
};

export function keyName(code: string): string {
  return names[code] ?? code.replace(/^Key|^Digit/, "").replace(/^Numpad/, "Num ");
}
