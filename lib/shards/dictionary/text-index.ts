/** Text → code, by the runs of one dictionary on disk (see text-runs.ts). */
import { bitHash, blockHash, storedFilter, inFilter, type BlockFilter } from '../hashing/block-filter.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { ColumnCache } from '../segment/column-cache.ts';
import { damaged, guarded, prepared, type Connection } from '../file/shard-file.ts';
import { checkedBytes, sumOf, type StoredBytes } from '../file/stored-bytes.ts';
import { textHash, type TextHash, type Secret } from '../hashing/text-hash.ts';
import { codeOfHash, textRuns, type TextRunHead } from './text-runs.ts';

/** Runs of one size that are merged together, and the keys that a merge may hold: 14 bytes each, twice. */
const MERGE = 8;
const MERGE_KEYS = 4_000_000;

interface Run extends TextRunHead {
  /** null: not read yet, or (`filter`) there is no room for it; then every lookup reads a chunk. */
  filter: BlockFilter | null;
  starts: Uint32Array | null;
}

/** Bytes that filters may still take, of all indexes that share it. */
export interface FilterRoom {
  left: number;
}

export interface TextIndexOptions {
  readonly field: number;
  /** The key for the hashes. */
  readonly secret: () => Secret;
  /** For filters. */
  readonly room: FilterRoom;
  /** For chunks of keys; may be shared. */
  readonly cache: ColumnCache;
}

let instances = 0;
const wanted: TextHash = { a: 0, b: 0, c: 0 };

export class TextIndex {
  readonly #options: TextIndexOptions;
  #runs: Run[] = [];
  #outdated = false;
  /** Prefix of this index's chunks in the cache. */
  readonly #prefix = `texts ${++instances}/`;

  constructor(options: TextIndexOptions) {
    this.#options = options;
  }

  /** Codes up to this one are indexed. */
  get indexed(): number {
    return this.#runs.reduce((most, { last }) => Math.max(most, last), 0);
  }

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#runs.reduce((bytes, { filter }) => bytes + (filter?.byteLength ?? 0), 0);
  }

  load(connection: Connection): void {
    this.#outdated = false;
    for (const run of this.#runs) this.#dropFilter(run);
    this.#runs = textRuns(connection, this.#options.field).map((run) => ({ ...run, filter: null, starts: null }));
  }

  /** The runs in the file may be others: they are read again before anything is looked up. */
  outdate(): void {
    this.#outdated = true;
  }

  add(run: TextRunHead): void {
    this.#runs.push({ ...run, filter: null, starts: null });
  }

  remove(ids: readonly number[]): void {
    for (const run of this.#runs) if (ids.includes(run.id)) this.#dropFilter(run);
    this.#runs = this.#runs.filter((run) => !ids.includes(run.id));
  }

  /** Runs to merge into one, since every lookup checks every run's filter. */
  mergeable(): number[] {
    if (this.#outdated) return [];
    const tiers = new Set(this.#runs.map(({ tier }) => tier));
    for (const tier of [...tiers].sort((a, b) => a - b)) {
      const same = this.#runs.filter((run) => run.tier === tier).slice(0, MERGE);
      if (same.length === MERGE && same.reduce((sum, { keys }) => sum + keys, 0) <= MERGE_KEYS)
        return same.map(({ id }) => id);
    }
    return [];
  }

  /** The code of a text, or 0. */
  find(connection: () => Connection, bytes: Uint8Array, start: number, end: number): number {
    if (this.#outdated) this.load(connection());
    if (this.#runs.length === 0) return 0;
    textHash(bytes, { start, end }, this.#options.secret(), wanted);
    const block = blockHash(wanted.a, wanted.b);
    const bits = bitHash(wanted.b, block);
    for (let i = this.#runs.length - 1; i >= 0; i--) {
      const run = this.#runs[i]!;
      if (run.starts === null) this.#read(connection(), run);
      if (run.filter !== null && !inFilter(run.filter, block, bits)) continue;
      const code = this.#inRun(connection, run);
      if (code !== 0) return code;
    }
    return 0;
  }

  #read(connection: Connection, run: Run): void {
    const row = prepared<[number], { filter: Buffer; starts: Buffer; sum: number }>(
      connection,
      'SELECT filter, starts, sum FROM text_runs WHERE id = ?',
    ).get(run.id);
    if (!row || sumOf(Buffer.concat([row.filter, row.starts])) !== row.sum) {
      throw damaged(new Error(`run ${run.id} of texts is missing or damaged`));
    }
    run.starts = wordsOf(row.starts);
    if (!this.#makeRoom(row.filter.length)) return;
    run.filter = storedFilter(row.filter);
    this.#options.room.left -= row.filter.length;
  }

  /** Drops a larger filter if need be, so that few runs are without; false if there is none. */
  #makeRoom(bytes: number): boolean {
    if (this.#options.room.left >= bytes) return true;
    const sizeOf = ({ filter }: Run): number => filter?.byteLength ?? 0;
    const [largest] = this.#runs.toSorted((a, b) => sizeOf(b) - sizeOf(a));
    if (largest === undefined || sizeOf(largest) <= bytes) return false;
    this.#dropFilter(largest);
    return true;
  }

  #dropFilter(run: Run): void {
    this.#options.room.left += run.filter?.byteLength ?? 0;
    run.filter = null;
  }

  #inRun(connection: () => Connection, run: Run): number {
    const { a } = wanted;
    const starts = run.starts!;
    // Keys with the same `a` may span chunks: begin with the last chunk that starts below it.
    for (let chunk = Math.max(0, lowerBound(starts, a) - 1); chunk < starts.length && starts[chunk]! <= a; chunk++) {
      const data = this.#chunk(connection, run.id, chunk);
      const code = guarded('texts', () => codeOfHash(data, wanted));
      if (code !== 0) return code;
    }
    return 0;
  }

  /** A chunk as it is stored: decoded, it would take two and a half times the memory, for one of its keys. */
  #chunk(connection: () => Connection, run: number, chunk: number): Uint8Array {
    return this.#options.cache.get(`${this.#prefix}${run}:${chunk}`, () => {
      const row = prepared<[number, number], StoredBytes>(
        connection(),
        'SELECT data, sum FROM text_keys WHERE run = ? AND chunk = ?',
      ).get(run, chunk);
      if (!row) throw damaged(new Error(`chunk ${chunk} of the texts of run ${run} is missing`));
      const value = guarded('texts', () => checkedBytes(row));
      return { value, bytes: value.length };
    });
  }
}

const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(new Uint8Array(bytes).buffer);
