// How long an arrow is drawn: forces of a machine span six decades, so ten times the force is one notch longer.
const kLeast_N = 1;

/** As a share of the mechanism's size; 0: not drawn. */
export function arrowShare(force_N: number): number {
  if (!(force_N > kLeast_N)) return 0;
  return Math.min(0.4, 0.05 * Math.log10(force_N / kLeast_N));
}
