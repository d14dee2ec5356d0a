// Actuators whose commands never grow old, in a sentence.

/** Empty where there are none. */
export function agelessWarning(actuators: readonly { name: string; maxAgeS: number }[]): string {
  const names = actuators.filter((actuator) => actuator.maxAgeS === 0).map((actuator) => actuator.name);
  if (names.length === 0) return "";
  return `Commands of ${names.join(", ")} never grow old (max_age: none): the last one stays in force when who sent it is gone.`;
}
