/**
 * Insert ids as kept by shards of format 2: every seal left a sorted run of 64-bit keys, each with the time of its arrival, under
 * a blocked Bloom filter. Runs are no longer written, except by erasures to replace another; they are read until the last of
 * their ids arrived 7 days ago, and then removed.
 */
import {
  addToFilter,
  bitHash,
  blockHash,
  emptyFilter,
  filterOf,
  inFilter,
  type BlockFilter,
} from '../../hashing/block-filter.ts';
import { lowerBound } from '../../../base/lower-bound.ts';
import { indexCache } from './index-cache.ts';
import { HEX16, type IdPlace } from './insert-ids.ts';
import { ID_WINDOW } from '../../event.ts';
import type { SoughtId } from './insert-key.ts';
import type { FilterKeys } from '../../hashing/fuse-filter.ts';
import { sortedByHigh } from '../../hashing/sorted-keys.ts';
import { guarded, prepared, type Connection } from '../../file/shard-file.ts';
import { bytesOf, sumOf, type StoredBytes } from '../../file/stored-bytes.ts';
import { hasTable } from '../../file/small-tables.ts';
import { finish, step, type Secret } from '../../hashing/text-hash.ts';

/** Keys per row of table insert_keys. */
const CHUNK = 4096;
const KEY_BYTES = 12; // u32 high, u32 low, u32 milliseconds after the run's first arrival

/** A run to be stored in tables insert_runs and insert_keys. */
export interface EncodedRun {
  readonly tier: number;
  readonly first: number;
  readonly last: number;
  readonly keys: number;
  readonly filter: Uint8Array;
  /** `high` of the first key of each chunk. */
  readonly starts: Uint32Array;
  readonly chunks: readonly Uint8Array[];
}

/** Keys and their times of arrival, in any order. */
export interface Keys extends FilterKeys {
  readonly arrived: Float64Array;
}

export function encodeRun(keys: Keys, tier: number): EncodedRun {
  const { count, high, low, arrived } = keys;
  let first = Infinity;
  let last = -Infinity;
  for (let i = 0; i < count; i++) {
    if (arrived[i]! < first) first = arrived[i]!;
    if (arrived[i]! > last) last = arrived[i]!;
  }
  const order = sortedByHigh(high, count);
  const filter = emptyFilter(count);
  const pieces: Uint8Array[] = [];
  const starts = new Uint32Array(Math.ceil(count / CHUNK));
  for (let from = 0; from < count; from += CHUNK) {
    const length = Math.min(CHUNK, count - from);
    const words = new Uint32Array(length * 3);
    for (let i = 0; i < length; i++) {
      const key = order[from + i]!;
      words[i * 3] = high[key]!;
      words[i * 3 + 1] = low[key]!;
      words[i * 3 + 2] = arrived[key]! - first;
      addToFilter(filter, high[key]!, low[key]!);
    }
    starts[pieces.length] = words[0]!;
    pieces.push(new Uint8Array(words.buffer));
  }
  return { tier, first, last, keys: count, filter: new Uint8Array(filter.buffer), starts, chunks: pieces };
}

/** Stores a run inside the caller's transaction; returns its id. */
export function insertRun(connection: Connection, run: EncodedRun): number {
  const starts = plainBytes(run.starts);
  const id = Number(
    connection
      .prepare('INSERT INTO insert_runs (tier, first, last, keys, filter, starts, sum) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(run.tier, run.first, run.last, run.keys, run.filter, starts, sumOfRun(run.filter, starts)).lastInsertRowid,
  );
  const insert = connection.prepare('INSERT INTO insert_keys (run, chunk, data, sum) VALUES (?, ?, ?, ?)');
  run.chunks.forEach((data, chunk) => insert.run(id, chunk, data, sumOf(data)));
  return id;
}

/** Whether a shard has format 2, or still has runs from it. */
export const hasKeyRuns = (connection: Connection): boolean => hasTable(connection, 'insert_runs');

/** Removes runs; drops the tables with the last one. */
export function deleteRuns(connection: Connection, ids: readonly number[]): void {
  for (const id of ids) deleteRun(connection, id);
  if (ids.length === 0 || connection.prepare('SELECT 1 FROM insert_runs').get() !== undefined) return;
  connection.exec('DROP TABLE insert_keys; DROP TABLE insert_runs');
}

export function deleteRun(connection: Connection, id: number): void {
  connection.prepare('DELETE FROM insert_keys WHERE run = ?').run(id);
  connection.prepare('DELETE FROM insert_runs WHERE id = ?').run(id);
}

/** All keys of some runs. */
export function readKeys(connection: Connection, runs: readonly number[]): Keys {
  const high: number[] = [];
  const low: number[] = [];
  const arrived: number[] = [];
  for (const run of runs) {
    const head = connection.prepare<[number], { first: number }>('SELECT first FROM insert_runs WHERE id = ?').get(run);
    if (!head) continue;
    for (const row of connection
      .prepare<[number], StoredBytes>('SELECT data, sum FROM insert_keys WHERE run = ? ORDER BY chunk')
      .all(run)) {
      const data = bytesOf(row);
      for (let at = 0; at < data.length; at += KEY_BYTES) {
        high.push(data.readUInt32LE(at));
        low.push(data.readUInt32LE(at + 4));
        arrived.push(head.first + data.readUInt32LE(at + 8));
      }
    }
  }
  return {
    count: high.length,
    high: Uint32Array.from(high),
    low: Uint32Array.from(low),
    arrived: Float64Array.from(arrived),
  };
}

/** What is kept in memory of a run. */
interface Run extends Pick<EncodedRun, 'first' | 'last' | 'starts'> {
  readonly id: number;
  readonly filter: BlockFilter;
}

let instances = 0;

/** The runs of a shard. Filters are in memory, keys on disk. */
export class KeyRuns {
  #runs: Run[] = [];
  /** Prefix of this shard's chunks in the cache. */
  readonly #prefix = `runs ${++instances}/`;
  readonly #secret: () => Secret;

  constructor(secret: () => Secret) {
    this.#secret = secret;
  }

  /** Bytes held by filters. */
  get memory(): number {
    return this.#runs.reduce((sum, run) => sum + run.filter.byteLength, 0);
  }

  load(connection: Connection): void {
    if (!hasKeyRuns(connection)) return;
    this.#runs = connection
      .prepare<[], Omit<Run, 'filter' | 'starts'> & { filter: Buffer; starts: Buffer; sum: number | null }>(
        'SELECT id, first, last, filter, starts, sum FROM insert_runs ORDER BY id',
      )
      .all()
      .map(({ sum, ...row }) => {
        if (sum !== null && sumOfRun(row.filter, row.starts) !== sum)
          throw new Error('insert ids do not have their checksum');
        return { ...row, filter: filterOf(row.filter), starts: wordsOf(row.starts) };
      });
  }

  remove(ids: readonly number[]): void {
    this.#runs = this.#runs.filter((run) => !ids.includes(run.id));
    indexCache.forget(this.#prefix); // ids of runs may be reused
  }

  /** Runs whose ids have all expired. */
  expired(now: number): number[] {
    return this.#runs.filter((run) => run.last <= now - ID_WINDOW).map((run) => run.id);
  }

  /** Whether an id with the same key arrived less than ID_WINDOW before `now`. @param text The id's text. */
  has(connection: () => Connection, id: SoughtId, text: IdPlace, now: number): boolean {
    const runs = this.#runs;
    if (runs.length === 0) return false;
    const { high, low } = keyOf(id, text, this.#secret());
    const a = blockHash(high, low);
    const b = bitHash(low, a);
    for (let i = runs.length - 1; i >= 0; i--) {
      const run = runs[i]!;
      if (run.last > now - ID_WINDOW && inFilter(run.filter, a, b) && this.#inRun(connection, run, high, low, now))
        return true;
    }
    return false;
  }

  #inRun(connection: () => Connection, run: Run, high: number, low: number, now: number): boolean {
    // Keys with the same `high` may span chunks: begin with the last chunk that starts below it.
    for (let chunk = Math.max(0, lowerBound(run.starts, high) - 1); chunk < run.starts.length; chunk++) {
      const data = this.#chunk(connection, run.id, chunk);
      for (let at = firstKeyFrom(data, high) * KEY_BYTES; at < data.length; at += KEY_BYTES) {
        if (data.readUInt32LE(at) !== high) return false;
        if (data.readUInt32LE(at + 4) === low && run.first + data.readUInt32LE(at + 8) > now - ID_WINDOW) return true;
      }
    }
    return false;
  }

  #chunk(connection: () => Connection, run: number, chunk: number): Buffer {
    return indexCache.get(`${this.#prefix}${run}:${chunk}`, () => {
      return guarded('insert ids', () => {
        const row = prepared<[number, number], StoredBytes>(
          connection(),
          'SELECT data, sum FROM insert_keys WHERE run = ? AND chunk = ?',
        ).get(run, chunk);
        if (!row) throw new Error(`chunk ${chunk} of insert ids ${run} is missing`);
        return { value: bytesOf(row), bytes: row.data.length };
      });
    });
  }
}

const sumOfRun = (filter: Uint8Array, starts: Uint8Array): number => sumOf(Buffer.concat([filter, starts]));
const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(new Uint8Array(bytes).buffer);
const plainBytes = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** The first key of a chunk whose `high` is not smaller. */
function firstKeyFrom(data: Buffer, high: number): number {
  let from = 0;
  for (let until = data.length / KEY_BYTES; from < until;) {
    const middle = (from + until) >>> 1;
    if (data.readUInt32LE(middle * KEY_BYTES) < high) from = middle + 1;
    else until = middle;
  }
  return from;
}

/** Two 32-bit halves. */
export interface RunKey {
  readonly high: number;
  readonly low: number;
}

/** The key of an id in runs: the number for 16 hexadecimal digits, else a hash under the shard's secret. @param text The id. */
export function keyOf(
  { kind, high, low }: Pick<SoughtId, 'kind' | 'high' | 'low'>,
  { bytes, start, end }: IdPlace,
  secret: Secret,
): RunKey {
  if (kind === HEX16) return { high, low };
  return { high: hash(bytes, start, end, secret[0]), low: hash(bytes, start, end, secret[1]) };
}

/** MurmurHash3 (x86, 32 bits). */
function hash(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let h = seed;
  let at = start;
  for (; at + 4 <= end; at += 4)
    h = step(h, bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
  let rest = 0;
  for (let shift = 0; at < end; at++, shift += 8) rest |= bytes[at]! << shift;
  return finish(step(h, rest) ^ (end - start));
}
