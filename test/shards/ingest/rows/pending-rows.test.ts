import { expect } from 'chai';
import fc from 'fast-check';
import { PendingRows } from '../../../../lib/shards/ingest/rows/pending-rows.ts';
import { emptySought, seekId, type SoughtId } from '../../../../lib/shards/segment/insert-ids/insert-key.ts';

const NOW = 1_700_000_000_000;
const NOBODY = { type: 1, user: 0, device: 0, session: 0 };

/** Few of each kind, so that they repeat. */
const id = fc.oneof(
  fc.constant(null),
  fc.nat(60).map((n) => n.toString(16).padStart(16, '0')),
  fc.nat(60).map((n) => `550e8400-e29b-41d4-a716-${n.toString(16).padStart(12, '0')}`),
  fc.nat(60).map((n) => `id ${n}`),
);

describe('PendingRows', () => {
  it('has the ids of the rows that it has, however many were dropped', () => {
    const steps = fc.array(fc.oneof(fc.array(id, { maxLength: 60 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(steps, fc.array(id), (list, others) => {
        const rows = new PendingRows();
        const kept: (string | null)[] = [];
        const all = new Set(others);
        for (const step of list) {
          if (typeof step === 'number') {
            kept.length = Math.floor(kept.length * step);
            rows.truncate(kept.length);
          } else
            for (const text of step) {
              rows.push(1, kept.push(text), NOW, NOBODY);
              all.add(text);
              if (text !== null) rows.setInsertId(soughtOf(text), false);
            }
          expect(rows.length).to.equal(kept.length);
          for (const text of all)
            if (text !== null)
              expect(rows.has(soughtOf(text), false, { receivedAt: NOW }), text).to.equal(kept.includes(text));
          const { texts, uuids } = rows.raw().insertIds;
          expect(Buffer.from(texts!.bytes).toString()).to.equal(kept.filter((text) => text?.startsWith('id')).join(''));
          expect(uuids.length / 16).to.equal(kept.filter((text) => text?.startsWith('550e')).length);
        }
      }),
    );
  });
});

function soughtOf(text: string): SoughtId {
  const bytes = Buffer.from(text);
  const found = emptySought();
  seekId(bytes, 0, bytes.length, [7, 8], found);
  return found;
}
