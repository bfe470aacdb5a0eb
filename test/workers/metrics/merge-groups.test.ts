import { expect } from 'chai';
import fc from 'fast-check';
import { mergeGroups } from '../../../lib/workers/metrics/merge-groups.ts';
import type { GroupsPartial } from '../../../lib/workers/metrics/metric-partial.ts';
import { rowContext } from '../../support/row-context.ts';

/** Groups of one field, by its codes, whose texts a dictionary has. */
function partOf(codes: readonly number[]): GroupsPartial {
  const ids = Uint32Array.from(codes, (_, group) => group + 1);
  const dictionary = { key: 'd', codes: Uint32Array.from(codes) };
  return { groups: codes.length, keys: [{ ids, texts: null, dictionary }], metrics: [] };
}

describe('merged groups of one field', () => {
  it('are the same of parts in the order of codes and in any order', () => {
    const codes = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(codes, { minLength: 2, maxLength: 4 }), (parts) => {
        const values = {
          ...{ key: 'd', size: 30, text: (code: number) => `value ${code}` },
          ...{ type: () => 'string' as const, number: () => NaN },
        };
        const limits = { ...rowContext(), sharedDictionary: () => values };
        const textsOf = (lists: readonly (readonly number[])[]): string[][] => {
          const merged = mergeGroups(lists.map(partOf), 1, limits);
          expect(merged.count).to.equal(new Set(lists.flat()).size);
          return lists.map((list, nth) => list.map((_, group) => merged.text(0, merged.places[nth]![group]!)!));
        };
        for (const lists of [parts, parts.map((list) => list.toSorted((a, b) => a - b))])
          expect(textsOf(lists)).to.deep.equal(lists.map((list) => list.map((code) => `value ${code}`)));
      }),
    );
  });
});
