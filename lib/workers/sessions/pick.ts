/** Values at certain places. */
import type { LoopArray } from '../loops/generate.ts';
import { packedLoop } from '../loops/packed.ts';

/** Writes the value at each place. Returns `out`. */
export function pick<A extends LoopArray>(values: LoopArray, places: Uint32Array, out: A): A {
  const loop = packedLoop((inputs) => `out[i] = ${inputs.table(values)}[${inputs.value(places)}];`, null);
  loop(out, { from: 0, to: places.length, a: 0, b: 0 });
  return out;
}
