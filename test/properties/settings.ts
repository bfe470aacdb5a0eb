/** How long the properties look: WINDLASS_FUZZ_RUNS (runs of each property) and WINDLASS_FUZZ_SEED (a seed that was printed). */

/** @param normal Runs when nothing else is set: the whole of `npm test` stays short. */
export function runs(normal: number): number {
  const set = process.env['WINDLASS_FUZZ_RUNS'];
  return set === undefined ? normal : Number(set);
}

/** WINDLASS_FUZZ_PATH, beside the seed: the path to one counterexample, as it was printed. */
export function seed(): { seed?: number; path?: string; endOnFailure?: boolean } {
  const { WINDLASS_FUZZ_SEED, WINDLASS_FUZZ_PATH } = process.env;
  return {
    ...(WINDLASS_FUZZ_SEED === undefined ? {} : { seed: Number(WINDLASS_FUZZ_SEED) }),
    ...(WINDLASS_FUZZ_PATH === undefined ? {} : { path: WINDLASS_FUZZ_PATH, endOnFailure: true }),
  };
}
