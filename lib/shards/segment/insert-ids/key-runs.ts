/**
 * Insert ids as kept by shards of format 2: every seal left a sorted run of 64-bit keys, each with the time of its arrival. Before
 * anything more is read into such a shard, what they tell goes into filters of its segments, and they are removed.
 */
import { lowerBound } from '../../../base/lower-bound.ts';
import type { Connection } from '../../file/shard-file.ts';
import { hasTable } from '../../file/small-tables.ts';
import { checkedBytes, sumOf, type StoredBytes } from '../../file/stored-bytes.ts';
import { sortedByHigh } from '../../hashing/sorted-keys.ts';
import { finish, step, type Secret } from '../../hashing/text-hash.ts';
import { COLUMN } from '../columns.ts';
import { segmentColumn } from '../store.ts';
import { readMeta, readSegments } from '../shard-meta.ts';
import { encodeFilter } from './insert-filter.ts';
import { decodeInsertIds, encodeInsertIds, insertIdText, MADE, TEXT, UUID, type InsertIdRows } from './insert-ids.ts';
import { emptySought, seekId } from './insert-key.ts';

const KEY_BYTES = 12; // u32 high, u32 low, u32 milliseconds after the run's first arrival

/** Whether a shard has such runs. */
export const hasKeyRuns = (connection: Connection): boolean => hasTable(connection, 'insert_runs');

/** InsertKeys and the times of their arrival, in any order. */
export interface InsertKeys {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly arrived: Float64Array;
}

/** The keys of all runs. Throws if they are damaged. */
export function readKeys(connection: Connection): InsertKeys {
  const count = connection.prepare<[], number>('SELECT coalesce(sum(keys), 0) FROM insert_runs').pluck().get()!;
  const [high, low, arrived] = [new Uint32Array(count), new Uint32Array(count), new Float64Array(count)];
  const chunks = connection.prepare<[], StoredBytes & { readonly first: number }>(
    'SELECT first, data, insert_keys.sum AS sum FROM insert_runs JOIN insert_keys ON run = id ORDER BY run, chunk',
  );
  let key = 0;
  for (const { first, ...chunk } of chunks.iterate()) {
    const data = checkedBytes(chunk);
    for (let at = 0; at < data.length; at += KEY_BYTES, key++) {
      high[key] = data.readUInt32LE(at);
      low[key] = data.readUInt32LE(at + 4);
      arrived[key] = first + data.readUInt32LE(at + 8);
    }
  }
  if (key !== count) throw new Error(`runs of insert ids have ${key} keys instead of ${count}`);
  return { high, low, arrived };
}

/** Brings what the runs tell into the segments, and removes them, in one transaction. */
export function takeInRuns(connection: Connection): void {
  if (!hasKeyRuns(connection)) return;
  const secret = readMeta(connection).idSecret ?? [0, 0];
  const run = (): void => {
    const arrivalOf = arrivals(readKeys(connection));
    for (const { id, ids } of readSegments(connection))
      if (ids === null) addFilter(connection, id, { secret, arrivalOf });
    connection.exec('DROP TABLE insert_keys; DROP TABLE insert_runs');
  };
  connection.transaction(run).immediate();
}

type ArrivalOf = (key: RunKey) => number;

/** When the id with a key arrived last; -Infinity if that is not known. */
function arrivals({ high, low, arrived }: InsertKeys): ArrivalOf {
  const order = sortedByHigh(high, high.length);
  const sorted = order.map((key) => high[key]!);
  return (sought) => {
    let last = -Infinity;
    for (let i = lowerBound(sorted, sought.high); sorted[i] === sought.high; i++)
      if (low[order[i]!] === sought.low) last = Math.max(last, arrived[order[i]!]!);
    return last;
  };
}

function addFilter(
  connection: Connection,
  segment: number,
  { secret, arrivalOf }: { readonly secret: Secret; readonly arrivalOf: ArrivalOf },
): void {
  const old = decodeInsertIds(segmentColumn(connection, segment, COLUMN.insertId));
  const texts = Array.from(old.kinds, (kind, row) => (kind === MADE ? '' : insertIdText(old, row)));
  const insertIds = idsOf(old, texts, secret);
  const received = Float64Array.from(texts, (text, row) =>
    old.kinds[row] === MADE ? -Infinity : arrivalOf(keyOf(text, secret)),
  );
  const order = Uint32Array.from(texts.keys());
  const made = encodeFilter({ insertIds, received }, order, { secret, since: -Infinity });
  if (made === null) return;
  const { filter, span } = made;
  const put = connection.prepare('INSERT OR REPLACE INTO columns (segment, field, data, sum) VALUES (?, ?, ?, ?)');
  for (const [field, data] of [
    [COLUMN.insertId, encodeInsertIds(insertIds, order)],
    [COLUMN.insertFilter, filter],
    [COLUMN.received, made.received],
  ] as const)
    put.run(segment, field, data, sumOf(data));
  connection
    .prepare('UPDATE segments SET ids_first = ?, ids_last = ? WHERE id = ?')
    .run(span.first, span.last, segment);
}

/** The ids with UUIDs as such, which were texts like others. @param texts Of the ids that a client has made. */
function idsOf(
  { kinds: old, imported, high, low: words }: InsertIdRows,
  texts: readonly string[],
  secret: Secret,
): InsertIdRows {
  const [kinds, low] = [old.slice(), words.slice()];
  const [ends, others, uuids]: [number[], Uint8Array[], Uint8Array[]] = [[], [], []];
  const sought = emptySought();
  for (const [row, text] of texts.entries()) {
    if (old[row] !== TEXT) continue;
    const bytes = Buffer.from(text);
    seekId(bytes, 0, bytes.length, secret, sought);
    kinds[row] = sought.kind;
    low[row] = sought.kind === UUID ? uuids.push(sought.uuid.slice()) - 1 : others.push(bytes) - 1;
    if (sought.kind === TEXT) ends.push((ends.at(-1) ?? 0) + bytes.length);
  }
  const list = { count: ends.length, types: new Uint8Array(ends.length), ends: Uint32Array.from(ends) };
  return { kinds, imported, low, high, texts: { ...list, bytes: Buffer.concat(others) }, uuids: Buffer.concat(uuids) };
}

/** Two 32-bit halves. */
export interface RunKey {
  readonly high: number;
  readonly low: number;
}

const HEX = /^[0-9a-f]{16}$/;

/** The key of an id in runs: the number for 16 hexadecimal digits, else a hash under the shard's secret. */
export function keyOf(id: string, secret: Secret): RunKey {
  if (HEX.test(id)) return { high: parseInt(id.slice(0, 8), 16), low: parseInt(id.slice(8), 16) };
  const bytes = Buffer.from(id);
  return { high: hash(bytes, secret[0]), low: hash(bytes, secret[1]) };
}

/** MurmurHash3 (x86, 32 bits). */
function hash(bytes: Buffer, seed: number): number {
  const whole = bytes.length & ~3;
  let h = seed;
  for (let at = 0; at < whole; at += 4) h = step(h, bytes.readUInt32LE(at));
  const rest = bytes.length === whole ? 0 : bytes.readUIntLE(whole, bytes.length - whole);
  return finish(step(h, rest) ^ bytes.length);
}
