/** Pairs of words → ids in order of appearance, many at a time: a hash table in the thread's memory. */
import { addressOfArray, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';
import type { CodedIds } from './field-ids.ts';
import type { Vectors } from './vectors.ts';
import { BLOCK_ROWS } from '../check-every.ts';

/** Two entries for each pair, of the pair and its number. */
const entryBytes = (pairs: number): number => pairs * 2 * (4 + 4 + 4);
const bytesOf = (pairs: number): number => entryBytes(pairs) + pairs * (4 + 4);

/** Pairs to add: addresses of their parts, as words. */
export interface Pairs {
  readonly firsts: number;
  readonly seconds: number;
  readonly count: number;
}

export interface PairParts {
  readonly firsts: Uint32Array;
  readonly seconds: Uint32Array;
}

type Owner = Pick<RowContext, 'budget' | 'memory'>;

const rooms = { firsts: new Scratch(), seconds: new Scratch(), ids: new Scratch() };

export class PairIds {
  readonly #owner: Owner;
  /** The table as primitives see it: size, capacity, and addresses of entries, first parts and second parts. */
  readonly #table: Uint32Array;
  /** A pair and its id, for adding a single one. */
  readonly #one: Uint32Array;
  #firsts: Uint32Array = new Uint32Array(0);
  #seconds: Uint32Array = new Uint32Array(0);

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#table = wordsAt(owner.memory.take(5 * 4), 5).fill(0);
    this.#one = wordsAt(owner.memory.take(3 * 4), 3);
    this.#layOut(1_024);
  }

  /** Ids are below this. */
  get size(): number {
    return this.#table[0]!;
  }

  /** The id of a pair, added if it is new. */
  id(first: number, second: number): number {
    this.#one[0] = first;
    this.#one[1] = second;
    const { byteOffset } = this.#one;
    this.addAll({ firsts: byteOffset, seconds: byteOffset + 4, count: 1 }, byteOffset + 8);
    return this.#one[2]!;
  }

  /** Writes the ids of pairs to `out`, which may be the memory of their parts. */
  addAll(pairs: Pairs, out: number): void {
    this.#add(pairs, out);
  }

  /** The ids of pairs in arrays of their parts. */
  idsOf(firsts: Uint32Array, seconds: Uint32Array): Uint32Array {
    const ids = this.#owner.memory.words(firsts.length);
    const out = rooms.ids.of(BLOCK_ROWS * 4);
    for (let at = 0; at < ids.length; at += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, ids.length - at);
      const own = addressOfArray(firsts.subarray(at, at + count), rooms.firsts);
      this.addAll(
        { firsts: own, seconds: addressOfArray(seconds.subarray(at, at + count), rooms.seconds), count },
        out,
      );
      ids.set(wordsAt(out, count), at);
    }
    return ids;
  }

  first(id: number): number {
    return this.#firsts[id]!;
  }
  second(id: number): number {
    return this.#seconds[id]!;
  }
  /** First parts by id: a view, valid until the next pair is added. */
  firsts(): Uint32Array {
    return this.#firsts.subarray(0, this.size);
  }
  seconds(): Uint32Array {
    return this.#seconds.subarray(0, this.size);
  }

  /** The parts of pairs by their ids. */
  partsOf(ids: Uint32Array): PairParts {
    const { memory } = this.#owner;
    const [firsts, seconds] = [memory.words(ids.length), memory.words(ids.length)];
    for (let at = 0; at < ids.length; at++) {
      firsts[at] = this.#firsts[ids[at]!]!;
      seconds[at] = this.#seconds[ids[at]!]!;
    }
    return { firsts, seconds };
  }

  /** Releases the memory; the table must not be used afterwards. */
  release(): void {
    this.#letGo();
    this.#owner.memory.give(this.#table.byteOffset);
    this.#owner.memory.give(this.#one.byteOffset);
  }

  #add({ firsts, seconds, count }: Pairs, out: number): void {
    for (let done = 0; done < count;) {
      const [at, left] = [done * 4, count - done];
      done += primitives.addPairs(this.#table.byteOffset, firsts + at, seconds + at, left, out === 0 ? 0 : out + at);
      if (done < count) this.#grow();
    }
  }

  #grow(): void {
    const [firsts, seconds, count] = [this.#firsts.byteOffset, this.#seconds.byteOffset, this.size];
    const entries = this.#table[2]!;
    this.#layOut(count * 2);
    this.addAll({ firsts, seconds, count }, 0);
    for (const address of [entries, firsts, seconds]) this.#owner.memory.give(address);
    this.#owner.budget.release(bytesOf(count));
  }

  /** Lays out an empty table for this many pairs, a power of two. */
  #layOut(most: number): void {
    const { budget, memory } = this.#owner;
    budget.take(bytesOf(most));
    const entries = memory.take(entryBytes(most));
    primitives.fillWords(entries, entryBytes(most) / 4, 0);
    this.#firsts = wordsAt(memory.take(most * 4), most);
    this.#seconds = wordsAt(memory.take(most * 4), most);
    this.#table.set([0, most, entries, this.#firsts.byteOffset, this.#seconds.byteOffset]);
  }

  #letGo(): void {
    const [, most, entries] = this.#table;
    this.#owner.budget.release(bytesOf(most!));
    for (const address of [entries!, this.#firsts.byteOffset, this.#seconds.byteOffset])
      this.#owner.memory.give(address);
  }
}

/** Replaces the words at `firsts` by the ids of their combinations with those of further fields, a table for each. */
export function addIds(
  vectors: Vectors,
  firsts: number,
  ids: readonly (CodedIds | null)[],
  tables: readonly PairIds[],
): void {
  for (const [at, own] of ids.entries()) {
    const seconds = own === null ? vectors.noIds() : vectors.ids(own.codes, own.table);
    tables[at]!.addAll({ firsts, seconds, count: vectors.count }, firsts);
  }
}
