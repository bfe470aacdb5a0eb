/** Integers of any size as floats, rounded once. */

/** The float nearest to value / 2 ** below. */
export function nearestFloat(value: bigint, below: number): number {
  const size = value < 0n ? -value : value;
  const cut = Math.max(0, size.toString(16).length * 4 - 128);
  const top = size >> BigInt(cut);
  // What was cut only breaks ties.
  const rest = top << BigInt(cut) === size ? 0n : 1n;
  const near = Number((top << 1n) | rest);
  const power = cut - 1 - below;
  const half = Math.trunc(power / 2);
  return near * 2 ** half * 2 ** (power - half) * (value < 0n ? -1 : 1);
}

/** Enough for the sum of as many of the greatest floats as memory holds. */
const SCALE = 64;

/** The float nearest to value / 2 ** below, over a divisor; the former may be beyond the range of floats. */
export function nearestQuotient(value: bigint, below: number, divisor: number): number {
  const whole = nearestFloat(value, below);
  return Number.isFinite(whole) ? whole / divisor : (nearestFloat(value, below + SCALE) / divisor) * 2 ** SCALE;
}
