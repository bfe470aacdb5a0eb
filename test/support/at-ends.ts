/** Runs tests with every threshold at its least and at its most: small worlds then take the way of large ones, and the reverse. */
import { setThresholds, type End } from '../../lib/base/threshold.ts';

const ENDS: readonly { readonly end: End; readonly title: string }[] = [
  { end: 'least', title: 'with every threshold at its least' },
  { end: 'most', title: 'with every threshold at its most' },
];

/** @param names Which thresholds; all of them when left out. Those of other threads stay as they are. */
export function atEnds(describeTests: (title: string) => void, names?: readonly string[]): void {
  for (const { end, title } of ENDS) {
    describe(title, () => {
      before(() => setThresholds(end, names));
      after(() => setThresholds('usual', names));
      describeTests(title);
    });
  }
}
