import { expect } from 'chai';
import { ID_WINDOW } from '../../../../lib/shards/event.ts';
import { emptySought, seekId, type SoughtId } from '../../../../lib/shards/segment/insert-ids/insert-key.ts';
import {
  deleteRun,
  deleteRuns,
  encodeRun,
  hasKeyRuns,
  insertRun,
  KeyRuns,
  readKeys,
  type Keys,
} from '../../../../lib/shards/segment/insert-ids/key-runs.ts';
import type { IdPlace } from '../../../../lib/shards/segment/insert-ids/insert-ids.ts';
import { openInMemory, type Connection } from '../../../../lib/shards/file/shard-file.ts';
import { sortedByHigh } from '../../../../lib/shards/hashing/sorted-keys.ts';

/** As in format 2. */
const TABLES = `
  CREATE TABLE insert_runs (id INTEGER PRIMARY KEY, tier INTEGER NOT NULL, first REAL NOT NULL, last REAL NOT NULL, keys INTEGER NOT NULL, filter BLOB NOT NULL, starts BLOB NOT NULL, sum INTEGER);
  CREATE TABLE insert_keys (run INTEGER NOT NULL, chunk INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER);
  CREATE UNIQUE INDEX insert_keys_place ON insert_keys (run, chunk);
`;

describe('runs of keys that shards of format 2 have', () => {
  const random = (i: number): number => Math.imul(i + 1, 2654435761) >>> 0;
  const COUNT = 20_000;
  const keys = {
    count: COUNT,
    high: Uint32Array.from({ length: COUNT }, (_, i) => random(i) % 5000), // many keys share a high half
    low: Uint32Array.from({ length: COUNT }, (_, i) => i),
    arrived: Float64Array.from({ length: COUNT }, (_, i) => 1_000_000 + i),
  };
  let connection: Connection;
  const open = (): Connection => connection;

  beforeEach(() => {
    connection = openInMemory();
    connection.exec(TABLES);
  });

  /** Whether the 16-digit id with this key is found. */
  function has(runs: KeyRuns, high: number, low: number, now: number): boolean {
    const { id, text } = idOf(high, low);
    return runs.has(open, id, text, now);
  }

  const loaded = (): KeyRuns => {
    const runs = new KeyRuns(() => [1, 2]);
    runs.load(connection);
    return runs;
  };

  it('have every key within the window, exactly to the millisecond, and no other', () => {
    insertRun(connection, encodeRun(keys, 0));
    const runs = loaded();
    for (let i = 0; i < COUNT; i += 7) {
      const arrived = keys.arrived[i]!;
      expect(has(runs, keys.high[i]!, keys.low[i]!, arrived + ID_WINDOW - 1), `key ${i}`).to.equal(true);
      expect(has(runs, keys.high[i]!, keys.low[i]!, arrived + ID_WINDOW), `key ${i} a window later`).to.equal(false);
      expect(has(runs, keys.high[i]!, COUNT + i, arrived)).to.equal(false);
    }
    const last = 1_000_000 + COUNT - 1;
    expect(runs.expired(last + ID_WINDOW)).to.have.length(1);
    expect(runs.expired(last + ID_WINDOW - 1)).to.have.length(0);
  });

  it('are read as they were written', () => {
    const run = insertRun(connection, encodeRun(keys, 0));
    const read = readKeys(connection, [run]);
    expect(read.count).to.equal(COUNT);
    const rows = ({ high, low, arrived }: Keys): string[] =>
      Array.from(high, (word, i) => `${word}:${low[i]!}:${arrived[i]!}`).sort();
    expect(rows(read)).to.deep.equal(rows(keys));
  });

  it('have no chunk without keys', () => {
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

  it('go one by one, and the tables with the last of them', () => {
    const one = (low: number): ReturnType<typeof encodeRun> =>
      encodeRun({ count: 1, high: Uint32Array.of(5), low: Uint32Array.of(low), arrived: Float64Array.of(1_000) }, 0);
    const [first, second] = [insertRun(connection, one(1)), insertRun(connection, one(2))];
    const runs = loaded();
    expect([has(runs, 5, 1, 2_000), has(runs, 5, 2, 2_000)]).to.deep.equal([true, true]);
    deleteRuns(connection, [first]);
    runs.remove([first]);
    expect([has(runs, 5, 1, 2_000), has(runs, 5, 2, 2_000)]).to.deep.equal([false, true]);
    expect(runs.memory).to.equal(one(2).filter.byteLength);
    deleteRuns(connection, []);
    expect(hasKeyRuns(connection)).to.equal(true);
    deleteRuns(connection, [second]);
    expect(hasKeyRuns(connection)).to.equal(false);
    expect(loaded().memory).to.equal(0);
  });

  it('are looked up afresh where one took the number of another that an erasure replaced', () => {
    const one = (low: number): ReturnType<typeof encodeRun> =>
      encodeRun({ count: 1, high: Uint32Array.of(5), low: Uint32Array.of(low), arrived: Float64Array.of(1_000) }, 0);
    const first = insertRun(connection, one(1));
    expect(has(loaded(), 5, 1, 2_000)).to.equal(true);
    deleteRun(connection, first);
    expect(insertRun(connection, one(2)), 'the number of the one that is gone').to.equal(first);
    expect([has(loaded(), 5, 1, 2_000), has(loaded(), 5, 2, 2_000)]).to.deep.equal([false, true]);
  });

  it('are sorted by all bits of the high half of their keys, equal ones in their order', () => {
    const high = Uint32Array.from({ length: 3_000 }, (_, i) => random(i % 1_000));
    const wanted = Array.from(high.keys()).toSorted((a, b) => high[a]! - high[b]! || a - b);
    expect([...sortedByHigh(high, high.length)]).to.deep.equal(wanted);
  });
});

function idOf(high: number, low: number): { id: SoughtId; text: IdPlace } {
  const bytes = Buffer.from([high, low].map((half) => half.toString(16).padStart(8, '0')).join(''));
  const id = emptySought();
  seekId(bytes, 0, bytes.length, [1, 2], id);
  return { id, text: { bytes, start: 0, end: bytes.length } };
}
