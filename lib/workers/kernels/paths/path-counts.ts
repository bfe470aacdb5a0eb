/** How many persons took each path. Paths are distinguished as lists of label ids; only those that are printed become texts. */
import { AppError } from '../../../base/errors.ts';
import { comparePathTexts, labelText } from '../../../dsl/finish/path-text.ts';
import { compareCodePoints } from '../../../dsl/plan/value.ts';
import { kept } from '../../../base/kept.ts';
import { threshold } from '../../../base/threshold.ts';
import type { RowContext } from '../../query-context.ts';
import type { PathTable } from './path-table.ts';
import { CHECK_EVERY } from '../../check-every.ts';
import { CELL_BYTES, ENTRY_BYTES } from '../../budget.ts';

/** Slots of an empty table: a power of two. */
const FIRST_CAPACITY = threshold('slots of distinct paths', 1 << 12, { least: 2, most: 1 << 16 });
/** A place, a hash and a count. */
const BYTES_PER_SLOT: number = 3 * Uint32Array.BYTES_PER_ELEMENT;

export interface PathCount {
  /** In order of time; null: a missing label. */
  readonly path: readonly (string | null)[];
  readonly persons: number;
}

export class PathCounts {
  readonly #table: PathTable;
  readonly #context: RowContext;
  /** By slot of an open-addressing table: a place that has the path, + 1; 0: free. */
  #places = new Uint32Array(FIRST_CAPACITY.value);
  #hashes = new Uint32Array(FIRST_CAPACITY.value);
  #persons = new Uint32Array(FIRST_CAPACITY.value);
  /** Distinct paths. */
  size = 0;

  constructor(table: PathTable, context: RowContext) {
    this.#table = table;
    this.#context = context;
    context.budget.take(this.#places.length * BYTES_PER_SLOT);
    for (let place = 0; place < table.size; place++) {
      if (place % CHECK_EVERY === 0) context.checkpoint();
      this.#count(place);
    }
  }

  /** The `count` most frequent paths, equally frequent ones by their text. In any order. */
  top(count: number, textOf: (label: number) => string | null, backward: boolean): readonly PathCount[] {
    const least = this.#leastOf(count);
    const above: number[] = [];
    const slots = this.#places.length;
    for (let slot = 0; slot < slots; slot++) {
      if (slot % CHECK_EVERY === 0) this.#context.checkpoint();
      if (this.#persons[slot]! > least) above.push(slot);
    }
    const compare = (a: number, b: number): number => this.#compare(a, b, textOf, backward);
    const level = new FirstInOrder(compare, count - above.length, this.#context);
    for (let slot = 0; slot < slots; slot++) {
      if (slot % CHECK_EVERY === 0) this.#context.checkpoint();
      if (this.#persons[slot] !== 0 && this.#persons[slot] === least) level.offer(slot);
    }
    const texts = new Map<number, string | null>();
    const keptText = (label: number): string | null => kept(texts, label, () => this.#taken(textOf(label)));
    return [...above, ...level.list()].map((slot) => {
      const labels = this.#labelsOf(slot, backward);
      this.#context.budget.take(ENTRY_BYTES + labels.length * 8);
      return { path: Array.from(labels, keptText), persons: this.#persons[slot]! };
    });
  }

  #taken(text: string | null): string | null {
    this.#context.budget.take(ENTRY_BYTES + 2 * (text?.length ?? 0));
    return text;
  }

  /** By text. Paths with the same text may have other labels: one may contain an arrow, or be the text of a missing one. */
  #compare(a: number, b: number, textOf: (label: number) => string | null, backward: boolean): number {
    const [own, other] = [this.#labelsOf(a, backward), this.#labelsOf(b, backward)];
    const order = comparePathTexts(own, other, (label) => labelText(textOf(label)));
    return order || compareCodePoints(JSON.stringify(Array.from(own, textOf)), JSON.stringify(Array.from(other, textOf))); // prettier-ignore
  }

  #count(place: number): void {
    if (this.size * 2 >= this.#places.length) this.#grow();
    const mask = this.#places.length - 1;
    const hash = this.#hash(place);
    let slot = hash & mask;
    while (this.#places[slot] !== 0 && (this.#hashes[slot] !== hash || !this.#same(this.#places[slot]! - 1, place))) {
      slot = (slot + 1) & mask;
    }
    if (this.#places[slot] === 0) {
      if (++this.size > this.#context.maxGroups) throw tooManyPaths(this.#context.maxGroups);
      this.#places[slot] = place + 1;
      this.#hashes[slot] = hash;
    }
    this.#persons[slot]!++;
  }

  #hash(place: number): number {
    const { paths, stride } = this.#table;
    const base = place * stride;
    const end = base + paths[base]!;
    let hash = 0x9e3779b9;
    for (let at = base + 1; at <= end; at++) {
      hash = Math.imul(hash ^ paths[at]!, 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash, 0xc2b2ae35);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  #same(a: number, b: number): boolean {
    const { paths, stride } = this.#table;
    const length = paths[a * stride]!;
    // The length comes before the nodes.
    for (let at = 0; at <= length; at++) if (paths[a * stride + at] !== paths[b * stride + at]) return false;
    return true;
  }

  #grow(): void {
    const [places, hashes, persons] = [this.#places, this.#hashes, this.#persons];
    const capacity = places.length * 2;
    this.#context.checkpoint();
    this.#context.budget.take(capacity * BYTES_PER_SLOT);
    this.#places = new Uint32Array(capacity);
    this.#hashes = new Uint32Array(capacity);
    this.#persons = new Uint32Array(capacity);
    for (let old = 0; old < places.length; old++) {
      if (places[old] === 0) continue;
      let slot = hashes[old]! & (capacity - 1);
      while (this.#places[slot] !== 0) slot = (slot + 1) & (capacity - 1);
      this.#places[slot] = places[old]!;
      this.#hashes[slot] = hashes[old]!;
      this.#persons[slot] = persons[old]!;
    }
    this.#context.budget.release(places.length * BYTES_PER_SLOT);
  }

  /** How many persons the least frequent of the `count` most frequent paths has; 1 if there are fewer paths. */
  #leastOf(count: number): number {
    if (this.size <= count) return 1;
    let most = 0;
    for (let slot = 0; slot < this.#persons.length; slot++) most = Math.max(most, this.#persons[slot]!);
    const paths = new Uint32Array(most + 1);
    this.#context.budget.take(paths.byteLength);
    for (let slot = 0; slot < this.#persons.length; slot++) paths[this.#persons[slot]!]!++;
    let persons = most;
    for (let left = count - paths[persons]!; left > 0; left -= paths[persons]!) persons--;
    this.#context.budget.release(paths.byteLength);
    return persons;
  }

  #labelsOf(slot: number, backward: boolean): Uint32Array {
    return labelsOf(this.#table, this.#places[slot]! - 1, backward);
  }
}

/** The labels of a place's path, in order of time. */
export function labelsOf({ paths, stride }: PathTable, place: number, backward: boolean): Uint32Array {
  const base = place * stride;
  const labels = paths.subarray(base + 1, base + 1 + paths[base]!);
  return backward ? labels.toReversed() : labels;
}

/** The first of many slots, in some order. */
class FirstInOrder {
  readonly #compare: (a: number, b: number) => number;
  readonly #room: number;
  readonly #context: RowContext;
  #held = 0;
  #kept: number[] = [];
  /** Whatever comes after it is not among the first. */
  #worst: number | null = null;

  constructor(compare: (a: number, b: number) => number, room: number, context: RowContext) {
    this.#compare = compare;
    this.#room = room;
    this.#context = context;
  }

  offer(slot: number): void {
    if (this.#room <= 0) return;
    if (this.#worst !== null && this.#compare(slot, this.#worst) > 0) return;
    this.#kept.push(slot);
    if (this.#kept.length > this.#held) {
      this.#context.budget.take(CELL_BYTES);
      this.#held++;
    }
    if (this.#kept.length >= 2 * this.#room + FIRST_CAPACITY.value) this.#cut();
  }

  list(): readonly number[] {
    if (this.#kept.length > this.#room) this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#context.checkpoint();
    this.#kept.sort(this.#compare).length = Math.max(this.#room, 0);
    this.#worst = this.#kept.at(-1) ?? null;
  }
}

function tooManyPaths(limit: number): AppError {
  return new AppError(
    'bad_query',
    `these people take more than ${limit} different paths; lower the depth, label the nodes by a coarser field, or narrow the range or the where`,
  );
}
