/** How long the properties look: WINDLASS_FUZZ_RUNS (runs of each property) and WINDLASS_FUZZ_SEED (a seed that was printed). */

/** @param normal Runs when nothing else is set: the whole of `npm test` stays short. */
export function runs(normal: number): number {
  const set = process.env['WINDLASS_FUZZ_RUNS'];
  return set === undefined ? normal : Number(set);
}

export function seed(): { seed?: number } {
  const set = process.env['WINDLASS_FUZZ_SEED'];
  return set === undefined ? {} : { seed: Number(set) };
}
