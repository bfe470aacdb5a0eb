import { expect } from 'chai';
import fc from 'fast-check';
import { Hold } from '../../../lib/primitives/columns.ts';
import type { RowSpan } from '../../../lib/workers/groups/positions.ts';
import { intersect } from '../../../lib/workers/groups/row-lists.ts';

const ascending = fc.uniqueArray(fc.nat(300), { maxLength: 60 }).map((rows) => rows.sort((a, b) => a - b));

/** Spans of a list, some of which follow each other. */
function spansOf(length: number, cuts: readonly number[]): RowSpan[] {
  const ends = [...new Set(cuts.map((cut) => cut % (length + 1)))].sort((a, b) => a - b);
  return ends.slice(1).flatMap((to, at) => {
    const from = ends[at]!;
    return cuts.length % 3 === 0 && at % 4 === 1 ? [] : [{ bucket: at, from, to }];
  });
}

describe('what two lists of rows have in common', () => {
  it('is found in every span, whether others follow it at once or not', () => {
    const memory = new Hold();
    fc.assert(
      fc.property(ascending, ascending, fc.array(fc.nat(), { maxLength: 20 }), (list, rows, cuts) => {
        const spans = spansOf(list.length, cuts);
        const found = intersect({ rows: Uint32Array.from(list), spans }, Uint32Array.from(rows), { memory });
        const rowsIn = ({ from, to }: RowSpan): number[] =>
          Array.from({ length: to - from }, (_, k) => rows[found.list === null ? from + k : found.list[from + k]!]!);
        const byBucket = new Map(found.spans.map((span) => [span.bucket, rowsIn(span)]));
        for (const { bucket, from, to } of spans)
          expect(byBucket.get(bucket) ?? []).to.deep.equal(list.slice(from, to).filter((row) => rows.includes(row)));
        expect(found.spans.every(({ from, to }) => from < to)).to.equal(true);
      }),
    );
    memory[Symbol.dispose]();
  });
});
