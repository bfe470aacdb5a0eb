import { expect } from 'chai';
import fc from 'fast-check';
import { SegmentMerge, type InOrder } from '../../../lib/shards/compaction/segment-merge.ts';

type Row = readonly [time: number, arrival: number];

/** Few times, so that many rows of several segments have the same. */
const SEGMENTS = fc
  .array(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 9 })
  .chain((segments) => {
    const rows = segments.flat().length;
    const arrivals = fc.shuffledSubarray(
      Array.from({ length: rows }, (_, i) => i),
      { minLength: rows, maxLength: rows },
    );
    return fc.tuple(fc.constant(segments), arrivals, fc.array(fc.integer({ min: 1, max: 40 })));
  });

function segmentOf(rows: readonly Row[], decoded: () => void): InOrder {
  const column = (at: 0 | 1) => (): Float64Array => {
    decoded();
    return Float64Array.from(rows, (row) => row[at]);
  };
  return { rows: rows.length, first: rows[0]![0], times: column(0), arrivals: column(1) };
}

const inOrder = (a: Row, b: Row): number => a[0] - b[0] || a[1] - b[1];

describe('a merge of segments', () => {
  it('takes their rows in order of time and arrival, however many at a time', () => {
    fc.assert(
      fc.property(SEGMENTS, ([times, arrivals, counts]) => {
        const numbers = [...arrivals];
        const rows = times.map((own) => own.map((time): Row => [time, numbers.pop()!]).sort(inOrder));
        const segments = rows.map((own) => segmentOf(own, () => undefined));
        const merge = new SegmentMerge(segments, () => undefined);
        const taken: Row[] = [];
        for (let left = merge.rows; left > 0;) {
          const count = Math.min(left, counts.pop() ?? left);
          left -= count;
          const { picked, order } = merge.take(count);
          const own = picked.flatMap(({ segment, rows: ofIt }) =>
            Array.from(ofIt, (row) => rows[segments.indexOf(segment)]![row]!),
          );
          expect(order.length).to.equal(count);
          taken.push(...Array.from(order, (at) => own[at]!));
        }
        expect(taken).to.deep.equal(rows.flat().sort(inOrder));
      }),
    );
  });

  it('decodes a segment when the turn of its rows comes, once', () => {
    const decoded: string[] = [];
    const early = segmentOf([[1, 1], [2, 2]], () => decoded.push('early')); // prettier-ignore
    const late = segmentOf([[2, 3], [9, 4]], () => decoded.push('late')); // prettier-ignore
    const merge = new SegmentMerge([late, early], () => decoded.push('forget'));
    merge.take(1);
    expect(decoded).to.deep.equal(['early', 'early', 'forget']);
    const { picked, order } = merge.take(3);
    expect(decoded.slice(3)).to.deep.equal(['late', 'late', 'forget']);
    expect(picked.map(({ rows }) => [...rows])).to.deep.equal([[0, 1], [1]]);
    expect([...order]).to.deep.equal([2, 0, 1]);
  });
});
