// Courses as text, every sample of its own, in the order of time.
import type { Signal } from "./history";

export function csvOf(signals: Signal[], from: number, to: number): string {
  const head = ["time_s", ...signals.map((signal) => (signal.unit ? `${signal.name} [${signal.unit}]` : signal.name))];
  const lines = [head.map(quoted).join(",")];
  const rings = [...new Set(signals.map((signal) => signal.ring))];
  const at = rings.map((ring) => ring.find(from));
  for (;;) {
    let next = Infinity;
    rings.forEach((ring, r) => {
      const i = at[r] as number;
      if (i < ring.length) next = Math.min(next, ring.time(i));
    });
    if (!(next <= to)) break;
    const here = rings.map((ring, r) => (at[r] as number) < ring.length && ring.time(at[r] as number) === next);
    const cells = signals.map((signal) => {
      const r = rings.indexOf(signal.ring);
      if (!here[r]) return "";
      const value = signal.ring.value(at[r] as number, signal.column);
      return Number.isNaN(value) ? "nan" : String(value);
    });
    lines.push([next.toFixed(6), ...cells].join(","));
    here.forEach((isHere, r) => {
      if (isHere) at[r] = (at[r] as number) + 1;
    });
  }
  return lines.join("\n") + "\n";
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
