import { expect } from 'chai';
import fc from 'fast-check';
import { IdLooks } from '../../../lib/shards/ingest/id-looks.ts';
import { ID_WINDOW } from '../../../lib/shards/event.ts';
import { emptySought, seekId } from '../../../lib/shards/segment/insert-ids/insert-key.ts';
import { expiredIds, SealedIds, sinceOf } from '../../../lib/shards/ingest/sealed-ids.ts';
import { encodeSegment, timeOrder } from '../../../lib/shards/segment/encode.ts';
import { decodeReceived, makeGroupFilter } from '../../../lib/shards/segment/insert-ids/insert-filter.ts';
import { forgetIds, storeSegment } from '../../../lib/shards/segment/store.ts';
import { PendingRows } from '../../../lib/shards/ingest/rows/pending-rows.ts';
import { findIds, readInsertIds } from '../../../lib/shards/segment/insert-ids/segment-ids.ts';
import { openInMemory } from '../../support/shard-in-memory.ts';
import type { Connection } from '../../../lib/shards/file/shard-file.ts';
import type { SegmentEntry } from '../../../lib/shards/segment/shard-meta.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { whole } from '../../../lib/shards/steps.ts';

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

  function seal(connection: Connection, events: readonly Sent[], since = -Infinity, isTidy = false): SegmentEntry {
    const rows = new PendingRows();
    events.forEach(({ id: text, at, time, isImported = false }, arrival) => {
      rows.push(time, arrival + 1, at, { type: 1, user: 0, device: 0, session: 0 });
      if (text !== null) rows.setInsertId(soughtOf(text), isImported);
    });
    const raw = { ...rows.raw(), fields: [] };
    return storeSegment(connection, encodeSegment(raw, timeOrder(raw), { secret: SECRET, since }), isTidy);
  }

  const TEXT = 'bytes of texts of insert ids with short fingerprints';
  const FEW = 'lookups of insert ids before a table of them';
  for (const [name, bytes, end, thresholds] of [
    ['with filters in memory', 1 << 20, 'usual', []],
    ['in groups', 1 << 20, 'least', ['segments with one filter of insert ids']],
    ['with filters that find no room', 0, 'usual', []],
    ['with long fingerprints', 1 << 20, 'least', [TEXT, FEW]],
    ['with short fingerprints', 1 << 20, 'most', [TEXT, FEW]],
  ] as const) {
    it(`are found within the window, exactly to the millisecond, those of imports by imports ever after, and no other is, ${name}`, () => {
      setThresholds(end, thresholds);
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
            if (name === 'in groups') group(ids, { connection, segments }, segments.slice(0, 3));
            const all = seals.flat();
            const now = NOW + later;
            const asked = [...all.map((one) => one.id), ...others].filter((text) => text !== null);
            const request = asked.map((text, n) => ({ text, isImported: n % 3 === 0 }));
            const alone = request.map(({ text, isImported }) =>
              has(ids, { connection, segments }, text, now, isImported),
            );
            expect(repeatsOf(ids, { connection, segments }, request, now), 'of one request').to.deep.equal(alone);
            for (const text of asked) {
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

  it('of many segments get one filter in place of theirs, until less than half of them are left', () => {
    const connection = openInMemory();
    const ids = new SealedIds({ bytes: 1 << 20, secret: () => SECRET });
    const segments = Array.from({ length: 20 }, (_, n) => seal(connection, [{ id: `id ${n}`, at: NOW, time: n }], -Infinity, n !== 3)); // prettier-ignore
    const stored = { connection, segments };
    const found = (some: readonly SegmentEntry[]): number =>
      segments.filter((_, n) => has(ids, { connection, segments: some }, `id ${n}`, NOW)).length;
    expect(ids.ungrouped(segments.slice(0, 16)), 'one is not tidy').to.equal(null);
    const chosen = ids.ungrouped(segments)!;
    expect(chosen).to.deep.equal(segments.filter((_, n) => n !== 3).slice(0, 16).map(({ id }) => id)); // prettier-ignore
    expect(found(segments)).to.equal(20);
    const apart = ids.memory;
    group(ids, stored, segments.filter(({ id }) => chosen.includes(id))); // prettier-ignore
    expect(ids.memory).to.be.below(apart);
    expect(ids.ungrouped(segments)).to.equal(null);
    expect(found(segments)).to.equal(20);
    const ofOne = apart / 20;
    const ofGroup = ids.memory - 4 * ofOne;
    expect(found(segments.slice(8))).to.equal(12);
    expect(ids.memory, 'nine of sixteen are left').to.equal(ofGroup + 3 * ofOne);
    expect(found(segments.slice(10))).to.equal(10);
    expect(ids.memory, 'seven of sixteen are left').to.equal(10 * ofOne);
    const few = new SealedIds({ bytes: 1, secret: () => SECRET });
    expect(few.ungrouped(segments), 'without room').to.equal(null);
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

/** Whether an id is there. */
function has(ids: SealedIds, stored: Stored, text: string, now: number, isImported = false): boolean {
  return repeatsOf(ids, stored, [{ text, isImported }], now)[0]!;
}

interface Stored {
  readonly connection: Connection;
  readonly segments: readonly SegmentEntry[];
}

/** Which of these ids, of one request, are there. */
function repeatsOf(
  ids: SealedIds,
  { connection, segments }: Stored,
  request: readonly { readonly text: string; readonly isImported: boolean }[],
  now: number,
): boolean[] {
  const looks = new IdLooks();
  const asked = request.map(({ text, isImported }) => {
    const bytes = Buffer.from(text);
    return { id: soughtOf(text), text: { bytes, start: 0, end: bytes.length }, isImported };
  });
  for (;;) {
    looks.restart();
    for (const one of asked) if (!looks.isRepeat(one)) looks.add(one);
    const question = { context: { receivedAt: now }, looks };
    const found = whole(
      ids.findRepeats(() => connection, segments, question),
      (task) => {
        if (task.op !== 'insert_ids') throw new Error(`looking for ids asked for ${task.op}`);
        return findIds(connection, task.source, task);
      },
    );
    if (!found) return asked.map((one) => looks.isRepeat(one));
  }
}

/** Gives some segments one filter. */
function group(ids: SealedIds, { connection, segments }: Stored, some: readonly SegmentEntry[]): void {
  const chosen = some.map(({ id }) => id);
  const columns = chosen.map((id) => readInsertIds(connection, id));
  ids.group(segments, { segments: chosen, filter: makeGroupFilter(columns, SECRET) });
}

function soughtOf(text: string): ReturnType<typeof emptySought> {
  const bytes = Buffer.from(text);
  const found = emptySought();
  seekId(bytes, 0, bytes.length, SECRET, found);
  return found;
}
