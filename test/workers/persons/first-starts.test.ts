import { expect } from 'chai';
import { FirstStarts } from '../../../lib/workers/persons/first-starts.ts';
import { rowContext } from '../../support/row-context.ts';

describe('first starts of persons', () => {
  it('take what they hold from the memory of the query, before they hold it', () => {
    for (const buckets of [255, 256]) {
      for (const [places, labelled] of [
        [false, false],
        [true, false],
        [true, true],
      ] as const) {
        const context = rowContext();
        const before = context.budget.held;
        const starts = new FirstStarts({ persons: 1_000, buckets, places, labelled }, context);
        const held = context.budget.held - before;
        const { cohorts, places: placed } = starts.of(context.memory.noWords(1_000));
        const arrays = [cohorts, placed?.times, placed?.arrivals, placed?.labels];
        const bytes = arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
        expect(held, `${buckets} buckets, ${places}, ${labelled}`).to.equal(bytes);
        expect(context.budget.held - before - held, 'the starts of as many persons').to.equal(bytes);
      }
    }
  });
});
