import { expect } from 'chai';
import fc from 'fast-check';
import { mergeUnique } from '../../../lib/workers/metrics/unique/merge-unique.ts';
import type { UniquePartial } from '../../../lib/workers/metrics/metric-partial.ts';
import { rowContext } from '../../support/row-context.ts';

const GROUPS = 6;

/** A part's sets by merged group; null: it has no rows of the group. */
const part = fc.record({
  each: fc.constantFrom(1, 2, 15, 16, 40),
  sets: fc.array(fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { maxLength: 9 })), {
    minLength: GROUPS,
    maxLength: GROUPS,
  }),
});

/** Ids are spread over all words of a set. */
const idsOf = (set: readonly number[], each: number): number[] => set.map((id) => id + 32 * (id % each));

function partialOf({ each, sets }: { each: number; sets: readonly (readonly number[] | null)[] }) {
  const own = sets.flatMap((set, group) => (set === null ? [] : [{ group, ids: idsOf(set, each) }]));
  const words = new Uint32Array(each * own.length);
  for (const [at, { ids }] of own.entries()) for (const id of ids) words[at * each + (id >>> 5)]! |= 1 << (id & 31);
  const partial: UniquePartial = {
    ...{ kind: 'unique', counts: Float64Array.from(own, ({ ids }) => ids.length), closed: new Uint8Array(own.length) },
    ...{ bits: { each, words }, ends: null, ids: null, texts: null, dictionary: 'one' },
  };
  return { partial, places: Uint32Array.from(own, ({ group }) => group), own };
}

describe('distinct ids of groups that several parts have', () => {
  it('are those of any of them, whatever room each part gave its sets', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const made = parts.map(partialOf);
        const plain = Array.from({ length: GROUPS }, () => new Set<number>());
        for (const { own } of made) for (const { group, ids } of own) for (const id of ids) plain[group]!.add(id);
        const found = mergeUnique(
          made.map(({ partial }) => partial),
          made.map(({ places }) => places),
          GROUPS,
          rowContext(),
        );
        expect([...found]).to.deep.equal(plain.map(({ size }) => size));
      }),
      { numRuns: 300 },
    );
  });
});
