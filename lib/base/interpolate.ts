/** The number at `share` of the way from one to another; their difference may be beyond the range of floats. */
export function interpolate(low: number, high: number, share: number): number {
  if (share === 0) return low;
  const step = high - low;
  return Number.isFinite(step) ? low + step * share : low * (1 - share) + high * share;
}
