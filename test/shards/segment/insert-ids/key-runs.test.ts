import { expect } from 'chai';
import { sumOf } from '../../../../lib/shards/file/stored-bytes.ts';
import { openInMemory } from '../../../support/shard-in-memory.ts';
import type { Connection } from '../../../../lib/shards/file/shard-file.ts';
import { hasTable } from '../../../../lib/shards/file/small-tables.ts';
import { hashKeys, passingKeys } from '../../../../lib/shards/hashing/fuse-filter.ts';
import { sortedByHigh } from '../../../../lib/shards/hashing/sorted-keys.ts';
import { COLUMN } from '../../../../lib/shards/segment/columns.ts';
import { encodeSegment } from '../../../../lib/shards/segment/encode.ts';
import { decodeFilter } from '../../../../lib/shards/segment/insert-ids/insert-filter.ts';
import {
  decodeInsertIds,
  HEX16,
  insertIdText,
  MADE,
  TEXT,
  UUID,
} from '../../../../lib/shards/segment/insert-ids/insert-ids.ts';
import { emptySought } from '../../../../lib/shards/segment/insert-ids/insert-key.ts';
import { keyOf, takeInRuns } from '../../../../lib/shards/segment/insert-ids/key-runs.ts';
import { findIds, seekText } from '../../../../lib/shards/segment/insert-ids/segment-ids.ts';
import { readSegments, writeMeta } from '../../../../lib/shards/segment/shard-meta.ts';
import { storeSegment, segmentColumn } from '../../../../lib/shards/segment/store.ts';

/** As in format 2. */
const TABLES = `
  CREATE TABLE insert_runs (id INTEGER PRIMARY KEY, tier INTEGER NOT NULL, first REAL NOT NULL, last REAL NOT NULL, keys INTEGER NOT NULL, filter BLOB NOT NULL, starts BLOB NOT NULL, sum INTEGER);
  CREATE TABLE insert_keys (run INTEGER NOT NULL, chunk INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER);
  CREATE UNIQUE INDEX insert_keys_place ON insert_keys (run, chunk);
`;
const SECRET = [0x9e3779b9, 0x7f4a7c15] as const;
const [HEX, GUID, ORDER, OLD] = ['00000005ffffffff', '550e8400-e29b-41d4-a716-4466554400ff', 'order 1', 'é'] as const;

describe('runs of keys that shards of format 2 have', () => {
  let connection: Connection;

  beforeEach(() => {
    connection = openInMemory();
    connection.exec(TABLES);
    writeMeta(connection, { id_secret_1: SECRET[0], id_secret_2: SECRET[1] });
    storeRow(connection, [null, HEX, GUID, ORDER, OLD]);
  });

  it('go into the filters of segments, each id with its last arrival to the millisecond', () => {
    addRun(connection, 1, [
      [HEX, 1_000],
      [ORDER, 1_007],
    ]);
    addRun(connection, 2, [
      [GUID, 2_000],
      [ORDER, 2_001],
      ['00000005fffffffe', 2_002],
    ]);
    takeInRuns(connection);
    expect(hasTable(connection, 'insert_runs')).to.equal(false);
    const { id, ids } = readSegments(connection)[0]!;
    expect(ids).to.deep.equal({ first: 1_000, last: 2_001, imports: false });
    for (const [text, arrived] of [
      [HEX, 1_000],
      [GUID, 2_000],
      [ORDER, 2_001],
      [OLD, -Infinity],
      ['00000005fffffffe', -Infinity],
    ] as const) {
      const bytes = Buffer.from(text).toString('latin1');
      const known = (since: number): boolean =>
        findIds(connection, { segment: id, first: 1_000 }, { look: { ids: [bytes], since }, secret: SECRET })[0] === 1;
      expect([known(arrived - 1), known(arrived)], text).to.deep.equal([arrived > 0, false]);
      expect(isInFilter(connection, id, bytes), text).to.equal(arrived > 0);
    }
  });

  it('leave the texts of ids, of which UUIDs are such from then on', () => {
    addRun(connection, 1, [[GUID, 1_000]]);
    takeInRuns(connection);
    const stored = decodeInsertIds(segmentColumn(connection, 1, COLUMN.insertId));
    expect([...stored.kinds]).to.deep.equal([MADE, HEX16, UUID, TEXT, TEXT]);
    expect([1, 2, 3, 4].map((row) => insertIdText(stored, row))).to.deep.equal([HEX, GUID, ORDER, OLD]);
  });

  it('leave a segment as it was of whose ids they have none', () => {
    addRun(connection, 1, [['order 2', 1_000]]);
    takeInRuns(connection);
    expect(readSegments(connection)[0]!.ids).to.equal(null);
    expect([...decodeInsertIds(segmentColumn(connection, 1, COLUMN.insertId)).kinds]).to.deep.equal([MADE, HEX16, TEXT, TEXT, TEXT]); // prettier-ignore
  });

  it('stay, and change nothing, where one is damaged', () => {
    for (const damage of ['UPDATE insert_keys SET sum = sum + 1', 'UPDATE insert_runs SET keys = 2']) {
      connection.exec('DELETE FROM insert_runs; DELETE FROM insert_keys');
      addRun(connection, 1, [[HEX, 1_000]]);
      connection.exec(damage);
      expect(() => takeInRuns(connection), damage).to.throw();
      expect([hasTable(connection, 'insert_runs'), readSegments(connection)[0]!.ids]).to.deep.equal([true, null]);
    }
  });

  it('are sorted by all bits of the high half of their keys, equal ones in their order', () => {
    const random = (i: number): number => Math.imul(i + 1, 2654435761) >>> 0;
    const high = Uint32Array.from({ length: 3_000 }, (_, i) => random(i % 1_000));
    const wanted = Array.from(high.keys()).toSorted((a, b) => high[a]! - high[b]! || a - b);
    expect([...sortedByHigh(high, high.length)]).to.deep.equal(wanted);
  });
});

/** Stores a segment as format 2 did: UUIDs are texts, and nothing is known of arrivals. null: no id was sent. */
function storeRow(connection: Connection, ids: readonly (string | null)[]): void {
  const rows = ids.length;
  const texts = ids.filter((id) => id !== null && id !== HEX).map((id) => Buffer.from(id!));
  let [end, nth] = [0, 0];
  const kinds = Uint8Array.from(ids, (id) => (id === null ? MADE : id === HEX ? HEX16 : TEXT));
  const words = (): Uint32Array => new Uint32Array(rows);
  const times = Float64Array.from(ids, (_, row) => row);
  const raw = {
    ...{ rows, times, arrivals: times, received: new Float64Array(rows).fill(-Infinity) },
    ...{ types: words().fill(1), users: words(), devices: words(), sessions: words(), fields: [] },
    insertIds: {
      kinds,
      imported: new Uint8Array(rows),
      low: Uint32Array.from(kinds, (kind) => (kind === TEXT ? nth++ : kind === HEX16 ? 0xffffffff : 0)),
      high: Uint32Array.from(kinds, (kind) => (kind === HEX16 ? 5 : 0)),
      texts: {
        count: texts.length,
        types: new Uint8Array(texts.length),
        ends: Uint32Array.from(texts, ({ length }) => (end += length)),
        bytes: Buffer.concat(texts),
      },
      uuids: new Uint8Array(0),
    },
  };
  const order = Uint32Array.from(ids.keys());
  storeSegment(connection, encodeSegment(raw, order, { secret: SECRET, since: -Infinity }), true);
}

function addRun(connection: Connection, id: number, ids: readonly (readonly [id: string, arrived: number])[]): void {
  const first = Math.min(...ids.map(([, arrived]) => arrived));
  const words = ids.flatMap(([text, arrived]) => {
    const { high, low } = keyOf(text, SECRET);
    return [high, low, arrived - first];
  });
  const data = Buffer.from(Uint32Array.from(words).buffer);
  connection
    .prepare("INSERT INTO insert_runs (id, tier, first, last, keys, filter, starts) VALUES (?, 0, ?, 0, ?, '', '')")
    .run(id, first, ids.length);
  connection.prepare('INSERT INTO insert_keys (run, chunk, data, sum) VALUES (?, 0, ?, ?)').run(id, data, sumOf(data));
}

function isInFilter(connection: Connection, segment: number, id: string): boolean {
  const filter = decodeFilter(segmentColumn(connection, segment, COLUMN.insertFilter));
  const { high, low } = seekText(id, SECRET, emptySought());
  return passingKeys(filter, hashKeys([high], [low], filter.seed)).length > 0;
}
