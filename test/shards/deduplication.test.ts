import { expect } from 'chai';
import { deleteRun, encodeRun, insertRun, readKeys, SealedIds, WINDOW } from '../../lib/shards/deduplication.ts';
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
    expect(ids.expired(1_000_000 + COUNT + WINDOW)).to.have.length(1);
    expect(ids.expired(1_000_000 + WINDOW)).to.have.length(0);
  });
});
