// Which parameters can be set.

/** What follows from others is tuned through those. */
export function tunable({ values, derived }: { values: { name: string; value: string }[]; derived: string[] }): { name: string; value: string }[] {
  return values.filter(({ name }) => !derived.includes(name));
}
