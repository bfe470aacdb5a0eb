/** Speed of one thread's JSON.parse over given bytes: the yardstick of ingest, measured in the same run on the same machine. */
import { median } from '../statistics.ts';

const WARM_UP = 2;
const PASSES = 7;

/** Seconds for one pass over all bodies (bytes to text to values), the median of warm passes. */
export function parseSeconds(bodies: readonly Buffer[]): number {
  const seconds: number[] = [];
  for (let pass = 0; pass < WARM_UP + PASSES; pass++) {
    const begun = performance.now();
    for (const body of bodies) JSON.parse(body.toString('utf8'));
    if (pass >= WARM_UP) seconds.push((performance.now() - begun) / 1000);
  }
  return median(seconds);
}
