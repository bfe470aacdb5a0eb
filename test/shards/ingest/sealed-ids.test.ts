import { expect } from 'chai';
import fc from 'fast-check';
import { IdLooks } from '../../../lib/shards/ingest/request-scope.ts';
import { ID_WINDOW } from '../../../lib/shards/event.ts';
import { emptySought, seekId } from '../../../lib/shards/segment/insert-ids/insert-key.ts';
import { expiredIds, SealedIds, sinceOf } from '../../../lib/shards/ingest/sealed-ids.ts';
import { encodeSegment, timeOrder } from '../../../lib/shards/segment/encode.ts';
import { decodeReceived } from '../../../lib/shards/segment/insert-ids/insert-filter.ts';
import { forgetIds, storeSegment } from '../../../lib/shards/segment/store.ts';
import { PendingRows } from '../../../lib/shards/ingest/rows/pending-rows.ts';
import { findIds } from '../../../lib/shards/segment/insert-ids/segment-ids.ts';
import { openInMemory } from '../../support/shard-in-memory.ts';
import type { Connection } from '../../../lib/shards/file/shard-file.ts';
import type { SegmentEntry } from '../../../lib/shards/segment/shard-meta.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';

const SECRET = [7, 8] as const;
const NOW = 1_700_000_000_000;

/** An id as sent, and when; null: an event without one. */
interface Sent {
  readonly id: string | null;
  readonly isImported?: boolean;
  readonly at: number;
  readonly time: number;
}

/** Few of each kind, so that they repeat. */
const id = fc.oneof(
  fc.constant(null),
  fc.nat(40).map((n) => n.toString(16).padStart(16, '0')),
  fc.nat(40).map((n) => `550e8400-e29b-41d4-a716-${n.toString(16).padStart(12, '0')}`),
  fc.nat(40).map((n) => `id ${n}`),
  fc.string({ maxLength: 3 }),
);
const sent = fc.record({
  id,
  isImported: fc.boolean(),
  at: fc.integer({ min: NOW - 2 * ID_WINDOW, max: NOW }),
  time: fc.integer({ min: 0, max: 50 }),
});

describe('sealed insert ids', () => {
  afterEach(() => setThresholds('usual'));

  function seal(connection: Connection, events: readonly Sent[], since = -Infinity): SegmentEntry {
    const rows = new PendingRows();
    events.forEach(({ id: text, at, time, isImported = false }, arrival) => {
      rows.push(time, arrival + 1, at, { type: 1, user: 0, device: 0, session: 0 });
      if (text !== null) rows.setInsertId(soughtOf(text), isImported);
    });
    const raw = { ...rows.raw(), fields: [] };
    return storeSegment(connection, encodeSegment(raw, timeOrder(raw), { secret: SECRET, since }), false);
  }

  for (const [name, bytes, end] of [
    ['with filters in memory', 1 << 20, 'usual'],
    ['with filters that find no room', 0, 'usual'],
    ['with long fingerprints', 1 << 20, 'least'],
    ['with short fingerprints', 1 << 20, 'most'],
  ] as const) {
    it(`are found within the window, exactly to the millisecond, those of imports by imports ever after, and no other is, ${name}`, () => {
      setThresholds(end, ['bytes of texts of insert ids with short fingerprints']);
      fc.assert(
        fc.property(
          fc.array(fc.array(sent, { minLength: 1, maxLength: 30 }), { maxLength: 4 }),
          fc.array(id, { maxLength: 30 }),
          fc.nat(ID_WINDOW),
          fc.integer({ min: -2 * ID_WINDOW, max: ID_WINDOW }),
          (seals, others, later, compacted) => {
            const connection = openInMemory();
            const segments = seals.map((events) =>
              seal(connection, events, Math.min(later, compacted) + NOW - ID_WINDOW),
            );
            const ids = new SealedIds({ bytes, secret: () => SECRET });
            const all = seals.flat();
            for (const text of [...all.map((one) => one.id), ...others]) {
              if (text === null) continue;
              const now = NOW + later;
              const same = all.filter((one) => one.id === text);
              const recent = same.some(({ at }) => at > now - ID_WINDOW);
              const imported = recent || same.some(({ isImported }) => isImported);
              expect(has(ids, { connection, segments }, text, now), text).to.equal(recent);
              expect(has(ids, { connection, segments }, text, now, true), text).to.equal(imported);
            }
            connection.close();
          },
        ),
      );
    });
  }

  it('are those of the segments that there are now', () => {
    const connection = openInMemory();
    const ids = new SealedIds({ bytes: 1 << 20, secret: () => SECRET });
    const found = (segments: readonly SegmentEntry[], text: string): boolean =>
      has(ids, { connection, segments }, text, NOW);
    const one = seal(connection, [{ id: 'a', at: NOW, time: 1 }]);
    const two = seal(connection, [{ id: 'b', at: NOW, time: 1 }]);
    expect([found([one], 'a'), found([one], 'b')]).to.deep.equal([true, false]);
    expect([found([one, two], 'a'), found([one, two], 'b')]).to.deep.equal([true, true]);
    const { memory } = ids;
    expect([found([two], 'a'), found([two], 'b')]).to.deep.equal([false, true]);
    expect(ids.memory).to.be.above(0).and.below(memory);
    const none = { ...two, ids: null };
    expect(found([none], 'b')).to.equal(false);
    expect(ids.memory).to.equal(0);
  });

  it('are left out of a segment where they arrived too long ago, and forgotten as a whole when the last did', () => {
    const connection = openInMemory();
    const events = [
      { id: 'old', at: NOW - ID_WINDOW, time: 1 },
      { id: 'new', at: NOW, time: 2 },
    ];
    const segment = seal(connection, events, NOW - ID_WINDOW);
    const ids = new SealedIds({ bytes: 1 << 20, secret: () => SECRET });
    // Even if the clock goes back: what is not known is not found by chance.
    const found = (text: string): boolean => has(ids, { connection, segments: [segment] }, text, NOW - 1);
    expect([found('old'), found('new')]).to.deep.equal([false, true]);
    const received = connection.prepare<[], Buffer>('SELECT data FROM columns WHERE field = 10').pluck().get()!;
    expect([...decodeReceived(received, segment.ids!)], 'for the next compaction').to.deep.equal([-Infinity, NOW]);
    expect(sinceOf([segment], NOW + 5)).to.equal(NOW - ID_WINDOW);
    expect(sinceOf([segment], NOW - 5), 'by a clock that was ahead').to.equal(NOW - 5 - ID_WINDOW);
    expect(expiredIds([segment], NOW + ID_WINDOW - 1)).to.deep.equal([]);
    expect(expiredIds([segment], NOW + ID_WINDOW)).to.deep.equal([segment.id]);
    const fields = connection.prepare<[], number>('SELECT field FROM columns').pluck();
    expect(fields.all()).to.include.members([9, 10]);
    forgetIds(connection, [segment.id]);
    expect(fields.all()).not.to.include.members([9]).and.not.to.include.members([10]);
    expect(sinceOf([{ ...segment, ids: null }], NOW)).to.equal(Infinity);
    expect(seal(connection, events, Infinity).ids).to.equal(null);
  });

  it('take 2.5 bytes each at most, where they came in batches', () => {
    const connection = openInMemory();
    const COUNT = 60_000;
    const events = Array.from({ length: COUNT }, (_, n) => ({
      id: (n * 2654435761).toString(16).padStart(16, '0'),
      at: NOW + Math.floor(n / 100),
      time: n,
    }));
    seal(connection, events);
    const bytes = connection
      .prepare<[], number>('SELECT sum(length(data)) FROM columns WHERE field IN (9, 10)')
      .pluck()
      .get()!;
    expect(bytes / COUNT).to.be.below(2.5);
  });
});

/** Whether an id is there, once everything needed has been read. */
function has(
  ids: SealedIds,
  { connection, segments }: { readonly connection: Connection; readonly segments: readonly SegmentEntry[] },
  text: string,
  now: number,
  isImported = false,
): boolean {
  const question = { context: { receivedAt: now }, looks: new IdLooks() };
  const bytes = Buffer.from(text);
  const asked = { id: soughtOf(text), text: { bytes, start: 0, end: bytes.length }, isImported };
  const look = (): boolean => ids.has(segments, asked, question);
  for (let known = look(); ; known = look()) {
    if (!question.looks.any) return known;
    for (const step of ids.read(() => connection, segments, question)) {
      if (!step) continue;
      if (step.task.op !== 'insert_ids') throw new Error(`reading ids asked for ${step.task.op}`);
      step.outcome = { ok: true, value: findIds(connection, step.task.source, step.task) };
    }
  }
}

function soughtOf(text: string): ReturnType<typeof emptySought> {
  const bytes = Buffer.from(text);
  const found = emptySought();
  seekId(bytes, 0, bytes.length, SECRET, found);
  return found;
}
