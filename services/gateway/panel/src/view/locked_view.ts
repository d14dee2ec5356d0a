// A window with one camera and nothing beside it, for screens around an operator: "?view=cab&locked".

/** Whether the camera stays as it is put, with nothing beside it. */
export function isLocked(search: string): boolean {
  return new URLSearchParams(search).has("locked");
}

/** The camera a window begins with; empty: the rig's first. */
export function firstView(search: string): string {
  return new URLSearchParams(search).get("view") ?? "";
}

/** By the name that a rig gives its camera, in any case, or by the id of a usual one. */
export function presetNamed<T extends { id: string; label: string }>(presets: readonly T[], name: string): T | undefined {
  const wanted = name.toLowerCase();
  return presets.find((preset) => preset.label.toLowerCase() === wanted) ?? presets.find((preset) => preset.id === wanted);
}
