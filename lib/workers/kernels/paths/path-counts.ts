/** How many persons took each path. Paths are distinguished as lists of label ids; only those that are printed become texts. */
import { AppError } from '../../../base/errors.ts';
import { pathText } from '../../../dsl/finish/path-text.ts';
import { compareCodePoints } from '../../../dsl/plan/value.ts';
import { threshold } from '../../../base/threshold.ts';
import type { RowContext } from '../../query-context.ts';
import type { PathTable } from './path-table.ts';

/** Slots of an empty table: a power of two. */
const FIRST_CAPACITY = threshold('slots of distinct paths', 1 << 12, { least: 2, most: 1 << 16 });
/** For a distinct path: a place, a hash and a count, in arrays of at least twice as many. */
const BYTES_PER_SLOT = 3 * 4;
const CHECK_EVERY = 1 << 14;
/** About the size of a path as array and text. */
const BYTES_PER_TEXT = 400;

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
    const above: PathCount[] = [];
    const level = new FirstByText(this.#context);
    for (let slot = 0; slot < this.#places.length; slot++) {
      if (slot % CHECK_EVERY === 0) this.#context.checkpoint();
      const persons = this.#persons[slot]!;
      if (persons > least) above.push({ path: this.#pathOf(slot, textOf, backward), persons });
    }
    for (let slot = 0; slot < this.#places.length; slot++) {
      if (slot % CHECK_EVERY === 0) this.#context.checkpoint();
      const persons = this.#persons[slot]!;
      if (persons !== 0 && persons === least) level.offer({ path: this.#pathOf(slot, textOf, backward), persons }, count - above.length); // prettier-ignore
    }
    return [...above, ...level.list(count - above.length)];
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

  #pathOf(slot: number, textOf: (label: number) => string | null, backward: boolean): readonly (string | null)[] {
    const place = this.#places[slot]! - 1;
    const { paths, stride } = this.#table;
    const base = place * stride;
    const path = Array.from(paths.subarray(base + 1, base + 1 + paths[base]!), textOf);
    return backward ? path.reverse() : path;
  }
}

interface Candidate {
  readonly text: string;
  readonly count: PathCount;
}

/** Of equally frequent paths, keeps those whose text comes first. */
class FirstByText {
  readonly #context: RowContext;
  #held = 0;
  #kept: Candidate[] = [];
  /** Whatever comes after it is not among the first. */
  #worst: Candidate | null = null;

  constructor(context: RowContext) {
    this.#context = context;
  }

  offer(count: PathCount, room: number): void {
    if (room <= 0) return;
    const candidate = { text: pathText(count.path) ?? '', count };
    if (this.#worst !== null && compare(candidate, this.#worst) > 0) return;
    this.#kept.push(candidate);
    if (this.#kept.length > this.#held) {
      this.#context.budget.take(BYTES_PER_TEXT);
      this.#held++;
    }
    if (this.#kept.length >= 2 * room + FIRST_CAPACITY.value) this.#cut(room);
  }

  list(room: number): readonly PathCount[] {
    if (this.#kept.length > room) this.#cut(Math.max(room, 0));
    return this.#kept.map(({ count }) => count);
  }

  #cut(room: number): void {
    this.#context.checkpoint();
    this.#kept.sort(compare).length = room;
    this.#worst = this.#kept.at(-1) ?? null;
  }
}

/** Paths with the same text may have other labels: a label may contain an arrow, or be the text of a missing one. */
function compare(a: Candidate, b: Candidate): number {
  return (
    compareCodePoints(a.text, b.text) || compareCodePoints(JSON.stringify(a.count.path), JSON.stringify(b.count.path))
  );
}

function tooManyPaths(limit: number): AppError {
  return new AppError(
    'bad_query',
    `these persons take more than ${limit} different paths; lower the depth, label the nodes by a coarser field, or narrow the range or the where`,
  );
}
