// How long an arrow is drawn: forces of a machine span six decades, so ten times the force is one notch longer.
const kLeast_N = 1;
const kLeast_Nm = 0.01;

/** As a share of the mechanism's size; 0: not drawn. */
export function arrowShare(force_N: number): number {
  return share(force_N, kLeast_N);
}

/** The radius of the arc that shows a torque. */
export function turnShare(moment_Nm: number): number {
  return 0.35 * share(moment_Nm, kLeast_Nm);
}

function share(value: number, least: number): number {
  return value > least ? Math.min(0.4, 0.05 * Math.log10(value / least)) : 0;
}
