/**
 * How long the properties look. The runs of a property in `npm test` are its own, so many that each of its kinds of query meets
 * several worlds; WINDLASS_TEST_TIMES multiplies them, and `npm run test:long` does, where rare meetings are found.
 * A failure prints its seed and its path: see `seed`.
 */
import { tries } from '../support/campaign.ts';

/** @param normal Runs in `npm test`. WINDLASS_FUZZ_RUNS sets those of all properties. */
export function runs(normal: number): number {
  const set = process.env['WINDLASS_FUZZ_RUNS'];
  return set === undefined ? tries(normal) : Number(set);
}

/** WINDLASS_FUZZ_SEED as it was printed; with WINDLASS_FUZZ_PATH, printed beside it, that counterexample alone. */
export function seed(): { seed?: number; path?: string; endOnFailure?: boolean } {
  const { WINDLASS_FUZZ_SEED, WINDLASS_FUZZ_PATH } = process.env;
  return {
    ...(WINDLASS_FUZZ_SEED === undefined ? {} : { seed: Number(WINDLASS_FUZZ_SEED) }),
    ...(WINDLASS_FUZZ_PATH === undefined ? {} : { path: WINDLASS_FUZZ_PATH, endOnFailure: true }),
  };
}
