// Numbers for people: few digits, always as wide, always with a unit.

const thin = "\u202f"; // narrow, does not break
const minus = "\u2212";

/** Four significant digits or so, a true minus sign, no exponent between 1e-4 and 1e7. */
export function number(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : minus + "∞";
  const size = Math.abs(value);
  let text: string;
  if (size === 0) text = "0";
  else if (size < 1e-4 || size >= 1e7) text = value.toExponential(digits - 2);
  else text = value.toFixed(Math.max(0, Math.min(6, digits - 1 - Math.floor(Math.log10(size)))));
  if (/^-0(\.0*)?$/.test(text)) text = text.slice(1);
  return text.replace("-", minus);
}

/** With so many digits behind the point: columns of these do not jump. */
export function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return number(value);
  const text = value.toFixed(decimals);
  return (/^-0(\.0*)?$/.test(text) ? text.slice(1) : text).replace("-", minus);
}

export function withUnit(text: string, unit: string): string {
  return unit === "" ? text : text + thin + unit;
}

const prefixed = new Set(["Pa", "N", "Nm", "W", "J", "Hz", "V", "A", "N/m"]);

/** Number and unit, with k, M or G where that is shorter: "24.1 MPa". Only where a unit takes a prefix well. */
export function quantity(value: number, unit: string, digits = 4): string {
  const size = Math.abs(value);
  if (!prefixed.has(unit) || !Number.isFinite(value) || size < 1e4) return withUnit(number(value, digits), unit);
  const [scale, letter] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  return withUnit(number(value / scale, digits), letter + unit);
}

/** Number and unit beside an axis: "20 MPa", "0.5 rad", "0". */
export function tickText(value: number, unit: string): string {
  if (value === 0) return "0";
  return quantity(value, unit).replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
}

/** 1234567 as 1 234 567. */
export function count(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, thin).replace("-", minus);
}

const timeUnits: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [0, "ns"],
];

/** Nanoseconds in the unit in which they are short: "12.3 µs". */
export function duration(ns: number): string {
  if (!Number.isFinite(ns)) return "–";
  const [scale, unit] = timeUnits.find(([least]) => Math.abs(ns) >= least) ?? [1, "ns"];
  const value = ns / (scale || 1);
  return withUnit(number(value, 3), unit);
}

/** Of the plant: "12.345 s", "3:07.250", "1:02:07.3". */
export function plantTime(time_s: number): string {
  if (!Number.isFinite(time_s)) return "–";
  if (time_s < 60) return withUnit(fixed(time_s, 3), "s");
  const hours = Math.floor(time_s / 3600);
  const minutes = Math.floor(time_s / 60) % 60;
  const seconds = time_s - 3600 * hours - 60 * minutes;
  const tail = seconds.toFixed(hours > 0 ? 1 : 3).padStart(hours > 0 ? 4 : 6, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/** How old something is: "0.4 s", "12 s", "3 min". */
export function age(seconds: number): string {
  if (seconds < 10) return withUnit(fixed(seconds, 1), "s");
  if (seconds < 120) return withUnit(seconds.toFixed(0), "s");
  return withUnit((seconds / 60).toFixed(0), "min");
}

/** Without zeros at the end. */
export function short(value: number): string {
  const text = number(value, 3);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

/** 1000 as "1 kHz". */
export function rate(hz: number): string {
  return hz >= 1000 ? withUnit(short(hz / 1000), "kHz") : withUnit(short(hz), "Hz");
}

/** With a capital letter and a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
}

/** "arm_cylinder" as "Arm cylinder". */
export function title(name: string): string {
  const words = name.replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
