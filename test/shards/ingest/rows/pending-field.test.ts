import { expect } from 'chai';
import fc from 'fast-check';
import { PendingField } from '../../../../lib/shards/ingest/rows/pending-field.ts';
import { ownBuffers } from '../../../../lib/base/own-buffers.ts';
import { atEnds } from '../../../support/at-ends.ts';
import { encodeSegment } from '../../../../lib/shards/segment/encode.ts';
import type { RawField } from '../../../../lib/shards/segment/raw.ts';

/** What a row has: a code, a number, or nothing. */
type Given = { readonly code: number } | { readonly number: number } | null;

/** Mostly codes, so that many fields have one in every row. */
const given: fc.Arbitrary<Given> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ code: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ number: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant(null) },
);
/** Rows that come, and how many of all are dropped before the next come. */
const seals = fc.array(fc.array(fc.record({ rows: fc.array(given), dropped: fc.nat({ max: 5 }) })), { maxLength: 3 });

/** Plays one seal; returns what its rows have. */
function play(field: PendingField, steps: readonly { rows: readonly Given[]; dropped: number }[]): Given[] {
  const kept: Given[] = [];
  for (const { rows, dropped } of steps) {
    for (const value of rows) {
      const row = kept.push(value) - 1;
      if (value === null) continue;
      if ('code' in value) field.pushCode(row, value.code);
      else field.pushNumber(row, value.number);
    }
    kept.length = Math.max(0, kept.length - dropped);
    field.truncate(kept.length);
  }
  return kept;
}

function valuesOf({ rows, codes, numberRows, numbers }: RawField, count: number): Given[] {
  const values: Given[] = Array.from({ length: count }, () => null);
  codes.forEach((code, i) => (values[rows === null ? i : rows[i]!] = { code }));
  numbers.forEach((number, i) => (values[numberRows[i]!] = { number }));
  return values;
}

atEnds(
  (end) =>
    describe(`a pending field, ${end}`, () => {
      it('has the values of its rows, whether or not all have one, over seals and between threads', () => {
        let dense = 0;
        fc.assert(
          fc.property(seals, (all) => {
            const field = new PendingField(20, 'p:key', { left: 0, fresh: 0 });
            for (const steps of all) {
              const kept = play(field, steps);
              field.freeze();
              const raw = field.raw(kept.length);
              if (raw === null) expect(kept.every((value) => value === null)).to.equal(true);
              else {
                if (raw.rows === null) dense++;
                expect(valuesOf(raw, kept.length)).to.deep.equal(kept);
                const sent = structuredClone(raw, { transfer: ownBuffers([raw]) });
                expect(valuesOf(sent, kept.length)).to.deep.equal(kept);
                expect(field.raw(kept.length), 'of a seal that is tried again').to.deep.equal(sent);
              }
              field.sealed();
            }
          }),
          { numRuns: 500 },
        );
        expect(dense, 'some had one in every row').to.be.greaterThan(50);
      });

      it('is stored the same with and without the numbers of its rows', () => {
        const rows = 1_000;
        const order = Uint32Array.from({ length: rows }, (_, i) => (i * 7) % rows);
        const codes = Uint32Array.from({ length: rows }, (_, i) => 1 + ((i * i) % 13));
        const encoded = [null, Uint32Array.from({ length: rows }, (_, i) => i)].map((own) => encodeSegment(rawOf(rows, { rows: own, codes }), order, { secret: [1, 2], since: -Infinity })); // prettier-ignore
        expect(encoded[0]!.columns.some(({ field }) => field === 20)).to.equal(true);
        expect(encoded[0]).to.deep.equal(encoded[1]);
      });
    }),
  ['bytes of a shared array'],
);

/** A segment of one field. The nth row of the order above has the nth time. */
function rawOf(rows: number, { rows: own, codes }: Pick<RawField, 'rows' | 'codes'>) {
  const none = new Uint32Array(rows);
  const times = new Float64Array(rows);
  for (let i = 0; i < rows; i++) times[(i * 7) % rows] = i * 60_000;
  const numbers = { numberRows: new Uint32Array(0), numbers: new Float64Array(0) };
  return {
    ...{ rows, times, arrivals: Float64Array.from(times, (_, i) => i + 1), received: new Float64Array(rows) },
    ...{ types: new Uint32Array(rows).fill(1), users: none, devices: none, sessions: none },
    insertIds: {
      kinds: new Uint8Array(rows),
      imported: new Uint8Array(rows),
      low: none,
      high: none,
      texts: null,
      uuids: new Uint8Array(0),
    },
    fields: [{ field: 20, rows: own, codes, local: null, ...numbers }],
  };
}
