import { expect } from 'chai';
import {
  deleteRun,
  encodeRun,
  insertRun,
  readKeys,
  SealedIds,
  sortedByHigh,
  WINDOW,
} from '../../lib/shards/deduplication.ts';
import { openInMemory } from '../../lib/shards/shard-file.ts';

describe('sealed insert ids', () => {
  const connection = openInMemory();
  const open = (): typeof connection => connection;
  const random = (i: number): number => Math.imul(i + 1, 2654435761) >>> 0;
  const COUNT = 20_000;
  const keys = {
    count: COUNT,
    high: Uint32Array.from({ length: COUNT }, (_, i) => random(i) % 5000), // many keys share a high half
    low: Uint32Array.from({ length: COUNT }, (_, i) => i),
    arrived: Float64Array.from({ length: COUNT }, (_, i) => 1_000_000 + i),
  };

  it('finds every key within the window, exactly to the millisecond, and no other', () => {
    const run = encodeRun(keys, 0);
    const ids = new SealedIds();
    ids.add(insertRun(connection, run), run);
    for (let i = 0; i < COUNT; i += 7) {
      const arrived = keys.arrived[i]!;
      expect(ids.has(open, keys.high[i]!, keys.low[i]!, arrived + WINDOW - 1), `key ${i}`).to.equal(true);
      expect(ids.has(open, keys.high[i]!, keys.low[i]!, arrived + WINDOW), `key ${i} a window later`).to.equal(false);
      expect(ids.has(open, keys.high[i]!, COUNT + i, arrived)).to.equal(false);
    }
  });

  it('finds them again after the shard was opened anew, and after runs were merged', () => {
    const second = encodeRun({ ...keys, low: keys.low.map((low) => low + 1_000_000) }, 0);
    insertRun(connection, second);
    const runs = connection.prepare<[], number>('SELECT id FROM insert_runs').pluck().all();
    const merged = encodeRun(readKeys(connection, runs, 0), 1);
    for (const run of runs) deleteRun(connection, run);
    insertRun(connection, merged);
    const ids = new SealedIds();
    ids.load(connection);
    expect(merged.keys).to.equal(COUNT * 2);
    for (let i = 0; i < COUNT; i += 13) {
      expect(ids.has(open, keys.high[i]!, keys.low[i]!, 2_000_000)).to.equal(true);
      expect(ids.has(open, keys.high[i]!, keys.low[i]! + 1_000_000, 2_000_000)).to.equal(true);
    }
    const last = 1_000_000 + COUNT - 1;
    expect(ids.expired(last + WINDOW)).to.have.length(1);
    expect(ids.expired(last + WINDOW - 1)).to.have.length(0);
  });

  it('writes no chunk without keys', () => {
    for (const [count, chunks] of [
      [0, 0],
      [1, 1],
      [4096, 1],
      [4097, 2],
      [8192, 2],
    ] as const) {
      const run = encodeRun({ ...keys, count }, 0);
      expect(run.chunks.length, `${count} keys`).to.equal(chunks);
      expect(run.starts.length, `${count} keys`).to.equal(chunks);
    }
  });

  it('leaves out keys that arrived until a time, when runs are read to be merged', () => {
    const run = insertRun(connection, encodeRun(keys, 0));
    const read = readKeys(connection, [run], 1_000_000 + COUNT - 3);
    expect(read.count).to.equal(2);
    expect([...read.arrived.toSorted()]).to.deep.equal([1_000_000 + COUNT - 2, 1_000_000 + COUNT - 1]);
    expect([...read.low.toSorted()]).to.deep.equal([COUNT - 2, COUNT - 1]);
  });

  it('answers from the keys of a run that took the number of one that is gone', () => {
    const one = (low: number): ReturnType<typeof encodeRun> =>
      encodeRun({ count: 1, high: Uint32Array.of(5), low: Uint32Array.of(low), arrived: Float64Array.of(1_000) }, 0);
    const ids = new SealedIds();
    const first = insertRun(connection, one(1));
    ids.add(first, one(1));
    expect(ids.has(open, 5, 1, 2_000)).to.equal(true);
    deleteRun(connection, first);
    ids.remove([first]);
    expect(ids.has(open, 5, 1, 2_000)).to.equal(false);
    const again = insertRun(connection, one(2));
    expect(again, 'the number of the one that is gone').to.equal(first);
    ids.add(again, one(2));
    expect(ids.has(open, 5, 1, 2_000)).to.equal(false);
    expect(ids.has(open, 5, 2, 2_000)).to.equal(true);
  });

  it('merges eight fresh runs at a time, the oldest first, and none that were merged', () => {
    const ids = new SealedIds();
    const run = (tier: number): ReturnType<typeof encodeRun> => encodeRun({ ...keys, count: 1 }, tier);
    ids.add(1, run(1));
    for (let id = 2; id <= 8; id++) ids.add(id, run(0));
    expect(ids.mergeable()).to.deep.equal([]);
    ids.add(9, run(0));
    ids.add(10, run(0));
    expect(ids.mergeable()).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9]);
    const { filter } = run(0);
    expect(ids.memory).to.equal(10 * filter.byteLength);
    ids.remove([2, 3]);
    expect(ids.memory).to.equal(8 * filter.byteLength);
  });

  it('sorts keys by all bits of their high half, and leaves equal ones in their order', () => {
    const high = Uint32Array.from({ length: 3_000 }, (_, i) => random(i % 1_000));
    const wanted = Array.from(high.keys()).toSorted((a, b) => high[a]! - high[b]! || a - b);
    expect([...sortedByHigh(high, high.length)]).to.deep.equal(wanted);
  });
});
