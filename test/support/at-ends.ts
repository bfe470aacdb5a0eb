/** Runs tests with every threshold at its least and its most: small worlds then take the path of large ones, and vice versa. */
import { setThresholds, type End } from '../../lib/base/threshold.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it loads with the first query of several parts, and has a threshold
import '../../lib/workers/merge-parts.ts';

const ENDS: readonly { readonly end: End; readonly title: string }[] = [
  { end: 'least', title: 'with every threshold at its least' },
  { end: 'most', title: 'with every threshold at its most' },
];

/** @param names Which thresholds; default: all. Those of other threads do not change. */
export function atEnds(describeTests: (title: string) => void, names?: readonly string[]): void {
  for (const { end, title } of ENDS) {
    describe(title, () => {
      before(() => setThresholds(end, names));
      after(() => setThresholds('usual', names));
      describeTests(title);
    });
  }
}
