/**
 * How long the properties search. Each property sets its own runs for `npm test`, enough that every kind of query meets several
 * worlds; WINDLASS_TEST_TIMES multiplies them, as in `npm run test:long`, which finds rare combinations. A failure prints its
 * seed and its path: see `replay`.
 */
import { tries } from '../support/campaign.ts';

/** @param normal Runs in `npm test`. WINDLASS_FUZZ_RUNS overrides those of all properties. */
export function runs(normal: number): number {
  const set = process.env['WINDLASS_FUZZ_RUNS'];
  return set === undefined ? tries(normal) : Number(set);
}

/** With WINDLASS_FUZZ_PATH, printed next to the seed, only that counterexample. The seed itself is set in scripts/test-seed.mjs. */
export function replay(): { path?: string; endOnFailure?: boolean } {
  const path = process.env['WINDLASS_FUZZ_PATH'];
  return path === undefined ? {} : { path, endOnFailure: true };
}
