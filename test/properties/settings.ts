/**
 * How long the properties search. Each property sets its own runs for `npm test`, enough that every kind of query meets several
 * worlds; WINDLASS_TEST_TIMES multiplies them, as in `npm run test:long`, which finds rare combinations. A failure prints its
 * seed and its path: see `seed`.
 */
import { tries } from '../support/campaign.ts';

/** @param normal Runs in `npm test`. WINDLASS_FUZZ_RUNS overrides those of all properties. */
export function runs(normal: number): number {
  const set = process.env['WINDLASS_FUZZ_RUNS'];
  return set === undefined ? tries(normal) : Number(set);
}

/** WINDLASS_FUZZ_SEED as printed; with WINDLASS_FUZZ_PATH, printed next to it, only that counterexample. */
export function seed(): { seed?: number; path?: string; endOnFailure?: boolean } {
  const { WINDLASS_FUZZ_SEED, WINDLASS_FUZZ_PATH } = process.env;
  return {
    ...(WINDLASS_FUZZ_SEED === undefined ? {} : { seed: Number(WINDLASS_FUZZ_SEED) }),
    ...(WINDLASS_FUZZ_PATH === undefined ? {} : { path: WINDLASS_FUZZ_PATH, endOnFailure: true }),
  };
}
