/**
 * Which insert ids arrived in the last 7 days, without a B-tree: every seal leaves a run of 64-bit keys in sorted order with a
 * blocked Bloom filter over it. A key asks the filters in memory, rarely the keys on disk. Client ids are random, so anything
 * sorted by them would be written all over for every batch.
 *
 * The key of an id of 16 hexadecimal digits is that number, so no two of those are confused; the key of another is a keyed
 * 64-bit hash. A key is kept with the time of its arrival, so the window is exact to the millisecond.
 */
import type { Statement } from 'better-sqlite3';
import { addToFilter, bitHash, blockHash, emptyFilter, inFilter } from './block-filter.ts';
import { indexCache } from './index-cache.ts';
import { guarded, type Connection } from './shard-file.ts';
import { bytesOf, sumOf, type StoredBytes } from './stored-bytes.ts';

/** An id that arrived this long ago, or longer, may come again. */
export const WINDOW = 7 * 86_400_000;

/** Keys in one row of table insert_keys. */
const CHUNK = 4096;
const KEY_BYTES = 12; // u32 high, u32 low, u32 milliseconds after the run's first arrival

/** What is kept in memory of a run. */
export interface RunHead {
  readonly tier: number;
  readonly first: number;
  readonly last: number;
  readonly keys: number;
  readonly filter: Uint8Array;
  /** `high` of the first key of each chunk. */
  readonly starts: Uint32Array;
}

/** Rows of a run on their way to table insert_runs and insert_keys. */
export interface EncodedRun extends RunHead {
  readonly chunks: readonly Uint8Array[];
}

/** Keys and the times of their arrival, in any order. */
export interface Keys {
  readonly count: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
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

/** Stores a run inside a transaction of the caller; returns its id. */
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

export function deleteRun(connection: Connection, id: number): void {
  connection.prepare('DELETE FROM insert_keys WHERE run = ?').run(id);
  connection.prepare('DELETE FROM insert_runs WHERE id = ?').run(id);
}

/** All keys of some runs that arrived after `since`. */
export function readKeys(connection: Connection, runs: readonly number[], since: number): Keys {
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
        const time = head.first + data.readUInt32LE(at + 8);
        if (time <= since) continue;
        high.push(data.readUInt32LE(at));
        low.push(data.readUInt32LE(at + 4));
        arrived.push(time);
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

interface Run {
  readonly id: number;
  readonly tier: number;
  readonly first: number;
  readonly last: number;
  readonly keys: number;
  readonly filter: Uint32Array;
  readonly starts: Uint32Array;
}

let instances = 0;

/** The sealed ids of a shard. Filters are in memory, keys on disk. */
export class SealedIds {
  #runs: Run[] = [];
  /** Begins the keys of this shard's chunks in the cache. */
  readonly #prefix = `${++instances}/`;

  /** Bytes of memory held by filters. */
  get memory(): number {
    return this.#runs.reduce((sum, run) => sum + run.filter.byteLength, 0);
  }

  load(connection: Connection): void {
    this.#runs = connection
      .prepare<[], Omit<Run, 'filter' | 'starts'> & { filter: Buffer; starts: Buffer; sum: number | null }>(
        'SELECT id, tier, first, last, keys, filter, starts, sum FROM insert_runs ORDER BY id',
      )
      .all()
      .map(({ sum, ...row }) => {
        if (sum !== null && sumOfRun(row.filter, row.starts) !== sum)
          throw new Error('insert ids do not have their checksum');
        return { ...row, filter: wordsOf(row.filter), starts: wordsOf(row.starts) };
      });
  }

  add(id: number, run: RunHead): void {
    const { tier, first, last, keys, starts } = run;
    this.#runs.push({ id, tier, first, last, keys, filter: wordsOf(run.filter), starts });
  }

  remove(ids: readonly number[]): void {
    this.#runs = this.#runs.filter((run) => !ids.includes(run.id));
    indexCache.forget(this.#prefix); // numbers of runs may come again
  }

  /** Runs that a time has left behind. */
  expired(now: number): number[] {
    return this.#runs.filter((run) => run.last <= now - WINDOW).map((run) => run.id);
  }

  /** Fresh runs, when they are so many that they should be one: every run is a filter to ask. */
  mergeable(): number[] {
    const MERGE = 8;
    const fresh = this.#runs.filter((run) => run.tier === 0).map((run) => run.id);
    return fresh.length >= MERGE ? fresh.slice(0, MERGE) : [];
  }

  /** Whether the key arrived less than WINDOW before `now`. */
  has(connection: () => Connection, high: number, low: number, now: number): boolean {
    const runs = this.#runs;
    if (runs.length === 0) return false;
    const a = blockHash(high, low);
    const b = bitHash(low, a);
    for (let i = runs.length - 1; i >= 0; i--) {
      const run = runs[i]!;
      if (run.last > now - WINDOW && inFilter(run.filter, a, b) && this.#inRun(connection, run, high, low, now))
        return true;
    }
    return false;
  }

  #inRun(connection: () => Connection, run: Run, high: number, low: number, now: number): boolean {
    // Keys of one `high` may lie across a border: begin with the last chunk that starts below it.
    let from = 0;
    for (let until = run.starts.length; until - from > 1;) {
      const middle = (from + until) >>> 1;
      if (run.starts[middle]! < high) from = middle;
      else until = middle;
    }
    for (let chunk = from; chunk < run.starts.length; chunk++) {
      const data = this.#chunk(connection, run.id, chunk);
      for (let at = lowerBound(data, high) * KEY_BYTES; at < data.length; at += KEY_BYTES) {
        if (data.readUInt32LE(at) !== high) return false;
        if (data.readUInt32LE(at + 4) === low && run.first + data.readUInt32LE(at + 8) > now - WINDOW) return true;
      }
    }
    return false;
  }

  #chunk(connection: () => Connection, run: number, chunk: number): Buffer {
    return indexCache.get(`${this.#prefix}${run}:${chunk}`, () => {
      return guarded('insert ids', () => {
        const row = chunkStatement(connection()).get(run, chunk);
        if (!row) throw new Error(`chunk ${chunk} of insert ids ${run} is missing`);
        return { value: bytesOf(row), bytes: row.data.length };
      });
    });
  }
}

const sumOfRun = (filter: Uint8Array, starts: Uint8Array): number => sumOf(Buffer.concat([filter, starts]));
const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(new Uint8Array(bytes).buffer);
const plainBytes = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
type ChunkStatement = Statement<[number, number], StoredBytes>;
const chunkStatements = new WeakMap<Connection, ChunkStatement>();

/** Asked for at every hit of a filter, so it is prepared once a connection. */
function chunkStatement(connection: Connection): ChunkStatement {
  let statement = chunkStatements.get(connection);
  if (!statement) {
    statement = connection.prepare('SELECT data, sum FROM insert_keys WHERE run = ? AND chunk = ?');
    chunkStatements.set(connection, statement);
  }
  return statement;
}

/** The first key in a chunk whose high half is not below `high`. */
function lowerBound(data: Buffer, high: number): number {
  let from = 0;
  for (let until = data.length / KEY_BYTES; from < until;) {
    const middle = (from + until) >>> 1;
    if (data.readUInt32LE(middle * KEY_BYTES) < high) from = middle + 1;
    else until = middle;
  }
  return from;
}

/** Indices in ascending order of `high`, equal ones in their own order: a radix sort, 11 bits at a time. */
export function sortedByHigh(high: Uint32Array, count: number): Uint32Array {
  const DIGIT = 2048;
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  const starts = new Uint32Array(DIGIT);
  for (let shift = 0; shift < 32; shift += 11) {
    starts.fill(0);
    for (let i = 0; i < count; i++) starts[(high[i]! >>> shift) & (DIGIT - 1)]!++;
    for (let digit = 0, at = 0; digit < DIGIT; digit++) {
      const rows = starts[digit]!;
      starts[digit] = at;
      at += rows;
    }
    for (let i = 0; i < count; i++) {
      const key = order[i]!;
      next[starts[(high[key]! >>> shift) & (DIGIT - 1)]!++] = key;
    }
    [order, next] = [next, order];
  }
  return order;
}
