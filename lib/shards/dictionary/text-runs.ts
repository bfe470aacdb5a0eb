/**
 * Sorted runs of text hashes on disk, each hash with the code of its text: the index of a dictionary too large for memory. A seal
 * writes a run of its new texts; runs are merged eight at a time (a log-structured merge tree). The tables are created when a
 * shard first needs them, which most never do.
 */
import { addToFilter, emptyFilter } from '../hashing/block-filter.ts';
import { decodeIntegersBriefly, encodeIntegers } from '../segment/encoding/integers.ts';
import { joinSections, splitSections } from '../segment/encoding/sections.ts';
import type { TextList } from '../segment/encoding/texts.ts';
import { prepared, type Connection } from '../file/shard-file.ts';
import { hasTable } from '../file/small-tables.ts';
import { checkedBytes, sumOf, type StoredBytes } from '../file/stored-bytes.ts';
import { sortedByHigh } from '../hashing/sorted-keys.ts';
import { textHash, type TextHash, type Secret } from '../hashing/text-hash.ts';

export const TEXT_RUNS = `
  CREATE TABLE IF NOT EXISTS text_runs (id INTEGER PRIMARY KEY AUTOINCREMENT, field INTEGER NOT NULL, tier INTEGER NOT NULL, last INTEGER NOT NULL, keys INTEGER NOT NULL, filter BLOB NOT NULL, starts BLOB NOT NULL, sum INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS text_keys (run INTEGER NOT NULL, chunk INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS text_keys_place ON text_keys (run, chunk);
`;

/**
 * Keys per row of table text_keys, whole blocks of integers: with 10.5 bytes each, a row takes a page of the file and a third of
 * another. To look up one known id takes a row: of 1,024 keys, that was a quarter of the load of a project with 60 million events.
 */
const CHUNK = 512;

/** Hashes of texts (see text-hash.ts) and their codes, in any order. */
export interface TextKeys {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly c: Uint16Array;
  readonly codes: Uint32Array;
}

export interface TextRunHead {
  readonly id: number;
  readonly field: number;
  readonly tier: number;
  /** The largest code; a field's runs together cover every code up to their largest. */
  readonly last: number;
  readonly keys: number;
}

/** A run to be stored. */
export interface EncodedTextRun extends Omit<TextRunHead, 'id' | 'field'> {
  readonly filter: Uint8Array;
  /** `a` of the first key of each chunk. */
  readonly starts: Uint32Array;
  readonly chunks: readonly Uint8Array[];
}

export function encodeTextRun(keys: TextKeys, tier: number): EncodedTextRun {
  const count = keys.codes.length;
  const order = sortedByHigh(keys.a, count);
  const filter = emptyFilter(count);
  const chunks: Uint8Array[] = [];
  const starts = new Uint32Array(Math.ceil(count / CHUNK));
  let last = 0;
  for (let from = 0; from < count; from += CHUNK) {
    const some = order.subarray(from, Math.min(from + CHUNK, count));
    const [a, b, codes] = [pick(keys.a, some), pick(keys.b, some), pick(keys.codes, some)];
    for (let i = 0; i < some.length; i++) {
      addToFilter(filter, a[i]!, b[i]!);
      if (codes[i]! > last) last = codes[i]!;
    }
    starts[chunks.length] = a[0]!;
    for (let i = a.length - 1; i > 0; i--) a[i]! -= a[i - 1]!;
    const c = Uint16Array.from(some, (key) => keys.c[key]!);
    chunks.push(joinSections([encodeIntegers(a), bytesOf(b), bytesOf(c), encodeIntegers(codes)]));
  }
  return { tier, last, keys: count, filter: new Uint8Array(filter.buffer), starts, chunks };
}

/** The keys of texts with codes from `first` on. */
export function textKeysOf({ count, ends, bytes }: TextList, first: number, secret: Secret): TextKeys {
  const keys = emptyKeys(count);
  const hash: TextHash = { a: 0, b: 0, c: 0 };
  const place = { start: 0, end: 0 };
  for (let i = 0; i < count; i++) {
    place.end = ends[i]!;
    textHash(bytes, place, secret, hash);
    place.start = place.end;
    keys.a[i] = hash.a;
    keys.b[i] = hash.b;
    keys.c[i] = hash.c;
    keys.codes[i] = first + i;
  }
  return keys;
}

const emptyKeys = (count: number): TextKeys => ({
  ...{ a: new Uint32Array(count), b: new Uint32Array(count), c: new Uint16Array(count) },
  codes: new Uint32Array(count),
});

export function decodeTextKeys(data: Uint8Array): TextKeys {
  const [a, b, c, codes] = splitSections(data);
  // Copied, since the next decoding reuses that memory.
  const high = Uint32Array.from(decodeIntegersBriefly(a!));
  for (let i = 1; i < high.length; i++) high[i]! += high[i - 1]!;
  return {
    a: high,
    b: wordsOf(b!),
    c: halvesOf(c!),
    codes: Uint32Array.from(decodeIntegersBriefly(codes!)),
  };
}

/** The code of a hash in a chunk, or 0. Of its keys no more is decoded than that takes. */
export function codeOfHash(data: Uint8Array, { a, b, c }: TextHash): number {
  const [highs, lows, rests, codes] = splitSections(data);
  const steps = decodeIntegersBriefly(highs!);
  let high = 0;
  for (let i = 0; i < steps.length; i++) {
    high += steps[i]!;
    if (high > a) return 0;
    if (high === a && wordsOf(lows!)[i] === b && halvesOf(rests!)[i] === c) return decodeIntegersBriefly(codes!)[i]!;
  }
  return 0;
}

/** The runs of a dictionary, the oldest first. Most shards have never had any. */
export function textRuns(connection: Connection, field: number): TextRunHead[] {
  if (!hasTable(connection, 'text_runs')) return [];
  return prepared<[number], TextRunHead>(
    connection,
    'SELECT id, field, tier, last, keys FROM text_runs WHERE field = ? ORDER BY id',
  ).all(field);
}

/** Stores a run inside the caller's transaction; returns its id. */
export function insertTextRun(connection: Connection, field: number, run: EncodedTextRun): number {
  connection.exec(TEXT_RUNS);
  const starts = bytesOf(run.starts);
  const id = Number(
    connection
      .prepare('INSERT INTO text_runs (field, tier, last, keys, filter, starts, sum) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(field, run.tier, run.last, run.keys, run.filter, starts, sumOf(Buffer.concat([run.filter, starts])))
      .lastInsertRowid,
  );
  const insert = connection.prepare('INSERT INTO text_keys (run, chunk, data, sum) VALUES (?, ?, ?, ?)');
  run.chunks.forEach((data, chunk) => insert.run(id, chunk, data, sumOf(data)));
  return id;
}

export function deleteTextRun(connection: Connection, id: number): void {
  connection.prepare('DELETE FROM text_keys WHERE run = ?').run(id);
  connection.prepare('DELETE FROM text_runs WHERE id = ?').run(id);
}

/** All keys of some runs, in any order. */
export function readTextKeys(connection: Connection, runs: readonly number[]): TextKeys {
  const head = connection.prepare<[number], number>('SELECT keys FROM text_runs WHERE id = ?').pluck();
  const count = runs.reduce((sum, run) => sum + (head.get(run) ?? 0), 0);
  const all = emptyKeys(count);
  const chunks = connection.prepare<[number], StoredBytes>(
    'SELECT data, sum FROM text_keys WHERE run = ? ORDER BY chunk',
  );
  let at = 0;
  for (const run of runs) {
    for (const row of chunks.iterate(run)) {
      const keys = decodeTextKeys(checkedBytes(row));
      all.a.set(keys.a, at);
      all.b.set(keys.b, at);
      all.c.set(keys.c, at);
      all.codes.set(keys.codes, at);
      at += keys.codes.length;
    }
  }
  return all;
}

/** Removes the keys of erased texts from all runs of a dictionary. Must run inside the caller's transaction. */
export function eraseTextKeys(connection: Connection, field: number, isGone: (code: number) => boolean): void {
  for (const { id, tier, last } of textRuns(connection, field)) {
    const keys = readTextKeys(connection, [id]);
    const left: number[] = [];
    keys.codes.forEach((code, i) => {
      if (!isGone(code)) left.push(i);
    });
    if (left.length === keys.codes.length) continue;
    const some = Uint32Array.from(left);
    const c = Uint16Array.from(some, (i) => keys.c[i]!);
    const kept = { a: pick(keys.a, some), b: pick(keys.b, some), c, codes: pick(keys.codes, some) };
    deleteTextRun(connection, id);
    insertTextRun(connection, field, { ...encodeTextRun(kept, tier), last });
  }
}

function pick(values: Uint32Array, places: Uint32Array): Uint32Array {
  const picked = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) picked[i] = values[places[i]!]!;
  return picked;
}

const wordsOf = (bytes: Uint8Array): Uint32Array =>
  new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
const halvesOf = (bytes: Uint8Array): Uint16Array =>
  new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 1);
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Uint16Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
