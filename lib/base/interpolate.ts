/**
 * The number at `share` of the way from one to another; their difference may be beyond the range of floats. Measured from the
 * nearer one, as numpy does: half of the way from 0.2 to 1000 is 500.1, not 500.09999999999997.
 */
export function interpolate(low: number, high: number, share: number): number {
  if (share === 0) return low;
  const step = high - low;
  if (!Number.isFinite(step)) return low * (1 - share) + high * share;
  return share < 0.5 ? low + step * share : high - step * (1 - share);
}
