/**
 * A dictionary of a shard file, for readers. Keeps only where its chunks begin; their texts are read when one is needed, and kept
 * in the thread's cache, which bounds them together with all others.
 */
import type { Dictionary, TextType } from '../shard-reader.ts';
import { BESIDE, Lru } from '../../base/lru.ts';
import { bytesOfList, TYPES, type TextList } from '../segment/encoding/texts.ts';
import { textBytesAt, indexOfText, textAt } from '../segment/text-list-dictionary.ts';

/** How a dictionary reads its file. */
export interface DictionarySource {
  /** The chunks that begin at `first` or later. */
  chunks(first: number): Iterable<{ readonly first: number; readonly count: number }>;
  texts(first: number): TextList;
  /** Whether all values of a chunk are strings. */
  onlyStrings(first: number): boolean;
  /** If texts are indexed: the code of a text, or 0, and the last indexed code; null if not. */
  find(text: Buffer): { readonly code: number; readonly indexed: number } | null;
}

interface Chunk {
  readonly first: number;
  readonly count: number;
  readonly onlyStrings: boolean;
  /** null: its texts are not in the cache. */
  list: TextList | null;
}

/** The texts that a thread keeps, those of dictionaries together. */
export type TextCache = Lru<Chunk, Chunk>;

/** @param most Bytes. */
export const textCache = (most: number): TextCache => new Lru(most, (chunk) => (chunk.list = null));

export class StoredDictionary implements Dictionary {
  readonly key: string;
  readonly #source: DictionarySource;
  readonly #cache: TextCache;
  readonly #chunks: Chunk[] = [];
  #onlyStrings = true;
  /** The chunk that was used last: another is used again from now on. */
  #last: Chunk | null = null;

  constructor(key: string, source: DictionarySource, cache: TextCache) {
    this.key = key;
    this.#source = source;
    this.#cache = cache;
  }

  get size(): number {
    const last = this.#chunks.at(-1);
    return last ? last.first + last.count - 1 : 0;
  }

  get onlyStrings(): boolean {
    return this.#onlyStrings;
  }

  /** Reads what was added: new chunks, and one that has absorbed the last. */
  refresh(): void {
    for (const { first, count } of this.#source.chunks(this.#chunks.at(-1)?.first ?? 0)) {
      const last = this.#chunks.at(-1);
      if (last?.first === first) {
        if (last.count === count) continue;
        this.#forget(last);
        this.#chunks.pop();
      }
      if (first !== this.size + 1) throw new Error(`dictionary ${this.key} lacks codes before ${first}`);
      const onlyStrings = this.#source.onlyStrings(first);
      this.#chunks.push({ first, count, onlyStrings, list: null });
    }
    this.#onlyStrings = this.#chunks.every((chunk) => chunk.onlyStrings);
  }

  /** Drops all texts. */
  forget(): void {
    for (const chunk of this.#chunks) this.#forget(chunk);
  }

  type(code: number): TextType {
    const { first, list } = this.#at(code);
    return TYPES[list.types[code - first]!]!;
  }

  text(code: number): string {
    const { first, list } = this.#at(code);
    return textAt(list, code - first);
  }

  find(text: string): number {
    const wanted = Buffer.from(text);
    // Searching a single chunk is faster than the index on disk.
    const found = this.#chunks.length === 1 ? null : this.#source.find(wanted);
    if (found !== null && found.code !== 0) return found.code <= this.size ? found.code : 0;
    for (const chunk of this.#chunks) {
      if (chunk.first + chunk.count - 1 <= (found?.indexed ?? 0)) continue;
      const index = indexOfText(this.#listOf(chunk), wanted);
      if (index >= 0) return chunk.first + index;
    }
    return 0;
  }

  compare(a: number, b: number): number {
    const [left, right] = [this.#at(a), this.#at(b)];
    return textBytesAt(left.list, a - left.first).compare(textBytesAt(right.list, b - right.first));
  }

  #at(code: number): { first: number; list: TextList } {
    let from = 0;
    for (let until = this.#chunks.length; until - from > 1;) {
      const middle = (from + until) >>> 1;
      if (this.#chunks[middle]!.first <= code) from = middle;
      else until = middle;
    }
    const found = this.#chunks[from];
    if (!found || code < 1 || code > this.size) throw new RangeError(`dictionary ${this.key} has no code ${code}`);
    return { first: found.first, list: this.#listOf(found) };
  }

  #listOf(chunk: Chunk): TextList {
    const wasLast = chunk === this.#last;
    this.#last = chunk;
    if (chunk.list !== null) {
      if (!wasLast) this.#cache.get(chunk);
      return chunk.list;
    }
    const list = this.#source.texts(chunk.first);
    if (this.#cache.set(chunk, chunk, 2 * BESIDE + bytesOfList(list))) chunk.list = list; // three arrays and a view
    return list;
  }

  #forget(chunk: Chunk): void {
    this.#cache.delete(chunk);
    chunk.list = null;
  }
}
