/**
 * Groups as slots: every combination of bucket and field values has a number; metrics keep their state in arrays indexed by it.
 * Few combinations are laid out densely (bucket x id x id …), so that a row's slot is a sum of table reads. If there are too many
 * for that, a hash table numbers them as they appear.
 */
import { tooManyGroups } from '../budget.ts';
import { wordsAt } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';
import type { CodeArray } from '../rows/field-column.ts';
import type { RowSet } from '../rows/row-set.ts';
import type { FieldIds, CodedIds } from './field-ids.ts';
import { addIds, PairIds, type PairParts } from './pair-ids.ts';
import { eachBlock, type SlotMap } from './vectors.ts';
import type { Positions } from './positions.ts';
import { threshold } from '../../base/threshold.ts';

/** Slots laid out densely, at most: a few arrays of them still fit into caches and memory. */
const MAX_DENSE = threshold('slots of dense groups', 1 << 21, { most: 1 << 24 });

/** In `moved`: a slot that no row had. */
export const NOWHERE = 0xffffffff;

export interface SlotKeeper {
  /** Slots are renumbered: the state of slot s moves to `moved[s]`, unless that is NOWHERE. From now on there are `count`. */
  remap(moved: Uint32Array, count: number): void;
  /** From now on there are `count` slots; existing ones stay. */
  resize(count: number): void;
  /** The slots that rows had. */
  used(): Uint32Array;
}

export class Slots {
  readonly #buckets: number;
  readonly #fields: readonly FieldIds[];
  readonly #options: RowContext;
  readonly #keeper: SlotKeeper;
  /** Room for ids of each field, while dense. */
  #rooms: number[];
  /**
   * Once hashed: a table per field, keyed by (number of what precedes it, id of the field). Nothing precedes the first of several
   * where there is one bucket: it has no table, and its ids are these numbers.
   */
  #pairs: PairIds[] | null = null;
  #rowSlots: Uint32Array = new Uint32Array(0);

  constructor(buckets: number, fields: readonly FieldIds[], options: RowContext, keeper: SlotKeeper) {
    this.#buckets = buckets;
    this.#fields = fields;
    this.#options = options;
    this.#keeper = keeper;
    this.#rooms = fields.map(() => 1);
  }

  /** Slots are below this. */
  get count(): number {
    if (this.#pairs !== null) return this.#pairs.at(-1)!.size;
    return this.#buckets * this.#stride;
  }

  /** The first slot of a bucket; 0 if a row's slot already includes its bucket. */
  base(bucket: number): number {
    return this.#pairs === null ? bucket * this.#stride : 0;
  }

  /** Slots of one bucket; null if they are not contiguous. */
  get perBucket(): number | null {
    return this.#pairs === null ? this.#stride : null;
  }

  /** Whether slots are numbered as they appear: then only rows that pass the filter may get one. */
  get hashed(): boolean {
    return this.#pairs !== null;
  }

  /** The ids of the groups of these rows. May renumber slots: the keeper's state has moved by the time it returns. */
  prepare(rows: RowSet, positions: Positions): readonly (CodedIds | null)[] {
    const ids = this.#fields.map((field) => field.of(rows, positions));
    this.makeRoom();
    return ids;
  }

  /** The slots of these rows, after `prepare`. */
  enter(ids: readonly (CodedIds | null)[], rows: number, positions: Positions): SlotMap {
    if (this.#pairs === null) return this.#dense(ids);
    return [{ codes: this.#hash(ids, rows, positions), table: null }];
  }

  /** The buckets of these slots, and by field the ids in them: to be read only, as without fields the slots are buckets. */
  decode(slots: Uint32Array): { readonly buckets: Uint32Array; readonly ids: readonly Uint32Array[] } {
    const ids: Uint32Array[] = [];
    let rest = slots;
    for (let at = this.#fields.length - 1; at >= 0; at--) {
      const { firsts, seconds } = this.#partsOf(rest, at);
      ids.unshift(seconds);
      rest = firsts;
    }
    return { buckets: rest, ids };
  }

  /** What precedes a field, and its id. */
  #partsOf(slots: Uint32Array, at: number): PairParts {
    if (this.#pairs === null && at === 0 && this.#buckets === 1)
      return { firsts: this.#noWords(slots.length), seconds: slots };
    if (this.#pairs === null) return divided(slots, this.#rooms[at]!, this.#options);
    const pairs = this.#pairs[at - this.#untabled];
    return pairs === undefined ? { firsts: this.#noWords(slots.length), seconds: slots } : pairs.partsOf(slots);
  }

  #noWords(count: number): Uint32Array {
    return this.#options.memory.words(count).fill(0);
  }

  /** How many fields have no table, once hashed. */
  get #untabled(): number {
    return this.#buckets === 1 && this.#fields.length > 1 ? 1 : 0;
  }

  get #stride(): number {
    return this.#rooms.reduce((product, room) => product * room, 1);
  }

  /** Lays out slots for as many ids as the fields now have. */
  makeRoom(): void {
    if (this.#pairs !== null) return;
    const rooms = this.#fields.map(({ size }, at) => (size <= this.#rooms[at]! ? this.#rooms[at]! : roomFor(size)));
    if (rooms.every((room, at) => room === this.#rooms[at])) return;
    if (this.#buckets * rooms.reduce((product, room) => product * room, 1) <= MAX_DENSE.value) this.#widen(rooms);
    else this.#startHashing();
  }

  #widen(rooms: number[]): void {
    const moved = new Uint32Array(this.count);
    for (let slot = 0; slot < moved.length; slot++) {
      let rest = slot;
      let to = 0;
      let stride = 1;
      for (let at = rooms.length - 1; at >= 0; at--) {
        const room = this.#rooms[at]!;
        to += (rest % room) * stride;
        rest = Math.floor(rest / room);
        stride *= rooms[at]!;
      }
      moved[slot] = to + rest * stride;
    }
    this.#rooms = rooms;
    this.#keeper.remap(moved, this.count);
  }

  #startHashing(): void {
    const pairs = this.#fields.slice(this.#untabled).map(() => new PairIds(this.#options));
    const used = this.#keeper.used();
    const moved = new Uint32Array(this.count).fill(NOWHERE);
    const { buckets, ids } = this.decode(used);
    const [first, ...rest] = this.#untabled === 0 ? [buckets, ...ids] : ids;
    const now = rest.reduce((firsts, own, at) => pairs[at]!.idsOf(firsts, own), first!);
    for (let at = 0; at < used.length; at++) moved[used[at]!] = now[at]!;
    this.#pairs = pairs;
    this.#keeper.remap(moved, this.count);
  }

  #dense(ids: readonly (CodedIds | null)[]): SlotMap {
    let stride = this.#stride;
    const parts: { codes: CodeArray; table: Uint32Array | null }[] = [];
    for (const [at, own] of ids.entries()) {
      stride /= this.#rooms[at]!;
      if (own !== null)
        parts.push(stride === 1 ? own : { codes: own.codes, table: scaled(own, stride, this.#fields[at]!) });
    }
    return parts;
  }

  /** The slot of each row, in an array indexed by row and reused for the next rows. */
  #hash(ids: readonly (CodedIds | null)[], rows: number, positions: Positions): Uint32Array {
    const slots = this.#roomOf(rows);
    const [head, rest] = this.#untabled === 0 ? [null, ids] : [ids[0] ?? null, ids.slice(1)];
    eachBlock(positions, this.#options, (vectors, bucket) => {
      const firsts = vectors.slots(head === null ? [] : [head], bucket);
      addIds(vectors, firsts, rest, this.#pairs!);
      vectors.put(firsts, slots.byteOffset);
    });
    if (this.count > this.#options.maxGroups) throw tooManyGroups(this.#options.maxGroups);
    this.#keeper.resize(this.count);
    return slots;
  }

  /** A new view each time: what is cached about an array is keyed by its object, and this one has other slots. */
  #roomOf(rows: number): Uint32Array {
    const { memory } = this.#options;
    if (rows > this.#rowSlots.length) {
      if (this.#rowSlots.length > 0) memory.give(this.#rowSlots.byteOffset);
      this.#rowSlots = wordsAt(memory.take(rows * 4), rows);
    }
    return wordsAt(this.#rowSlots.byteOffset, rows);
  }
}

/** Each number divided: what a whole division gives, and what is left over. */
function divided(numbers: Uint32Array, by: number, { memory }: Pick<RowContext, 'memory'>): PairParts {
  const [firsts, seconds] = [memory.words(numbers.length), memory.words(numbers.length)];
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    const first = (number / by) >>> 0;
    firsts[at] = first;
    seconds[at] = number - first * by;
  }
  return { firsts, seconds };
}

/** Leaves room to grow: growing moves all state. */
function roomFor(size: number): number {
  return size <= 4 ? 4 : size + (size >>> 2) + 4;
}

/** Ids times a stride; for a field without a table, codes are the ids. */
function scaled({ table }: CodedIds, stride: number, field: FieldIds): Uint32Array {
  const result = new Uint32Array(table?.length ?? field.size);
  for (let code = 0; code < result.length; code++) result[code] = (table === null ? code : table[code]!) * stride;
  return result;
}
