/**
 * The rows of a scan in blocks, and what primitives read of a block: its columns, masks of the rows that pass, slots. All of it
 * lies in rooms of the thread, which the next block and the next scan reuse.
 */
import { codeSize } from '../../primitives/columns.ts';
import {
  memoryAt,
  isInMemory,
  type MemoryArray,
  primitives,
  Scratch,
  viewLike,
  wordsAt,
} from '../../primitives/memory.ts';
import { type CodeSize, SLACK } from '../../primitives/primitives.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { RowContext } from '../query-context.ts';
import type { CodeArray } from '../rows/field-column.ts';
import type { Filter } from '../where/filter.ts';
import type { Positions } from './positions.ts';
import { BLOCK_ROWS } from '../check-every.ts';

/** What a row adds to its bucket's base: the sum of `table[codes[i]]`, or of `codes[i]` without a table. */
export type SlotMap = readonly { readonly codes: CodeArray; readonly table: Uint32Array | null }[];

/** Codes in the thread's memory. */
export interface MemoryCodes {
  readonly address: number;
  readonly size: CodeSize;
}

const rooms = {
  rows: new Scratch(),
  codes: new Scratch(),
  slots: new Scratch(),
  ids: new Scratch(),
  placed: new Scratch(),
  times: new Scratch(),
  arrivals: new Scratch(),
  masks: new Scratch(),
};

export class Vectors {
  readonly #list: Uint32Array | null;
  readonly #context: RowContext;
  /** Addresses of copied heap tables, as long as the scan lasts. */
  readonly #tables = new Map<MemoryArray, number>();
  /** Address of the block's rows, with a list. */
  #rows = 0;
  #from = 0;
  /** Rows of the block. */
  count = 0;

  /** @param list The row at each index; null: indices are rows. */
  constructor(list: Uint32Array | null, context: RowContext) {
    this.#list = list;
    this.#context = context;
  }

  /** Calls `use` for each block of the indices `from` to `to`, with its first index. */
  each(from: number, to: number, use: (first: number) => void): void {
    for (let at = from; at < to; at += BLOCK_ROWS) {
      this.#context.checkpoint();
      this.#turnTo(at, Math.min(to, at + BLOCK_ROWS));
      use(at);
    }
  }

  /** Releases its memory; it must not be used afterwards. */
  end(): void {
    for (const address of this.#tables.values()) this.#context.memory.give(address);
    this.#tables.clear();
  }

  /** The codes of the block's rows. Valid until the next codes are read. */
  codes(array: CodeArray): MemoryCodes {
    return { address: this.#read(array, rooms.codes), size: codeSize(array) };
  }

  /** The values at the block's indices, not at its rows. */
  placed(values: Float64Array | Uint32Array, first: number): number {
    if (isInMemory(values)) return values.byteOffset + first * values.BYTES_PER_ELEMENT;
    const out = rooms.placed.of(BLOCK_ROWS * 8);
    viewLike(values, out, this.count).set(values.subarray(first, first + this.count));
    return out;
  }

  /** The times or arrivals of the block's rows. */
  moments(values: Float64Array, of: 'times' | 'arrivals'): number {
    return this.#read(values, rooms[of]);
  }

  /** Address of the block's rows, as words; 0 if its indices are rows. */
  get rows(): number {
    return this.#list === null ? 0 : this.#rows;
  }

  /** A byte per row: 1 if it passes. */
  mask(filter: Filter): number {
    const out = rooms.masks.of(depthOf(filter) * MASK_BYTES);
    this.#mask(filter, out);
    return out;
  }

  /** The slot of each row, in a bucket that begins at `base`. */
  slots(map: SlotMap, base: number): number {
    return this.#sum(map, base, rooms.slots.of(BLOCK_ROWS * 4));
  }

  /** The slots within their bucket, unchanged if a single column has them. */
  slotCodes(map: SlotMap): MemoryCodes {
    const [only] = map;
    if (only?.table === null && map.length === 1) return this.codes(only.codes);
    return { address: this.slots(map, 0), size: 4 };
  }

  /** As `slots`, for one array, in its own room. */
  ids(codes: CodeArray, table: Uint32Array | null): number {
    if (codes.BYTES_PER_ELEMENT === 4 && table === null) return this.#read(codes, rooms.ids);
    return this.#sum([{ codes, table }], 0, rooms.ids.of(BLOCK_ROWS * 4));
  }

  /** Ids that are all 0: missing. */
  noIds(): number {
    return this.#sum([], 0, rooms.ids.of(BLOCK_ROWS * 4));
  }

  /** Writes one word per row to the row's position. */
  put(words: number, out: number): void {
    if (this.#list !== null) primitives.scatterWords(words, this.#rows, this.count, out);
    else wordsAt(out + this.#from * 4, this.count).set(wordsAt(words, this.count));
  }

  /** Writes the rows that pass, or their places in the list, which begin with `first`. Returns how many; may change SLACK bytes after them. */
  pick(
    filter: Filter,
    { first, of, out }: { readonly first: number; readonly of: 'rows' | 'places'; readonly out: number },
  ): number {
    const mask = this.mask(filter);
    return this.#list === null || of === 'places'
      ? primitives.pickPlaces(mask, this.count, first, out)
      : primitives.pickWords(mask, this.count, this.#rows, out);
  }

  #turnTo(from: number, to: number): void {
    this.#from = from;
    this.count = to - from;
    if (this.#list === null) return;
    this.#rows = rooms.rows.of(BLOCK_ROWS * 4);
    wordsAt(this.#rows, this.count).set(this.#list.subarray(from, to));
  }

  #read(array: CodeArray | Float64Array, room: Scratch): number {
    const size = array.BYTES_PER_ELEMENT;
    if (isInMemory(array)) {
      if (this.#list === null) return array.byteOffset + this.#from * size;
      const out = room.of(BLOCK_ROWS * 8);
      primitives.gather(array.byteOffset, size, this.#rows, this.count, out);
      return out;
    }
    const out = room.of(BLOCK_ROWS * 8);
    const own = viewLike(array, out, this.count);
    if (this.#list === null) own.set(array.subarray(this.#from, this.#from + this.count));
    else for (let k = 0; k < own.length; k++) own[k] = array[this.#list[this.#from + k]!]!;
    return out;
  }

  #sum(map: SlotMap, base: number, out: number): number {
    primitives.fillWords(out, this.count, base);
    for (const { codes, table } of map) {
      const { address, size } = this.codes(codes);
      if (table === null) primitives.addCodes(address, size, this.count, out);
      else primitives.addTable(address, size, this.count, this.#table(table), out);
    }
    return out;
  }

  /** The address of a table, for random access. */
  #table(table: Uint8Array | Uint32Array): number {
    if (isInMemory(table)) return table.byteOffset;
    let address = this.#tables.get(table);
    if (address === undefined) {
      address = this.#context.memory.take(table.byteLength);
      memoryAt(address, table.byteLength).set(new Uint8Array(table.buffer, table.byteOffset, table.byteLength));
      this.#tables.set(table, address);
    }
    return address;
  }

  /** Behind the mask at `out` there is room for masks joined with it. */
  #mask(filter: Filter, out: number): void {
    switch (filter.kind) {
      case 'constant':
        memoryAt(out, this.count).fill(filter.value);
        return;
      case 'table':
        return this.#test(filter, out);
      case 'mask':
        memoryAt(out, this.count).set(memoryAt(this.codes(filter.bytes).address, this.count));
        return;
      case 'rows':
        return this.#mark(filter.rows, out);
      case 'not':
        this.#mask(filter.term, out);
        primitives.turnMask(out, this.count);
        return;
      case 'and':
      case 'or':
        return this.#join(filter, out);
      default:
        return unreachable(filter);
    }
  }

  /** The rows and the list ascend. */
  #mark(rows: Uint32Array, out: number): void {
    const mask = memoryAt(out, this.count).fill(0);
    const list = this.#list;
    const [first, last] = [this.#from, this.#from + this.count - 1];
    let k = first;
    for (let at = lowerBound(rows, list === null ? first : list[first]!); at < rows.length; at++) {
      const row = rows[at]!;
      if (list === null) k = row;
      else while (k <= last && list[k]! < row) k++;
      if (k > last) return;
      if (list === null || list[k] === row) mask[k - first] = 1;
    }
  }

  #test({ codes, passes, only }: Filter & { kind: 'table' }, out: number): void {
    const { address, size } = this.codes(codes);
    if (only !== null) primitives.equalCodes(address, size, this.count, only, out);
    else primitives.testCodes(address, size, this.count, this.#table(passes), out);
  }

  #join({ kind, terms }: Filter & { kind: 'and' | 'or' }, out: number): void {
    const next = out + MASK_BYTES;
    for (const [at, term] of terms.entries()) {
      this.#mask(term, at === 0 ? out : next);
      if (at === 0) continue;
      if (kind === 'and') primitives.andMasks(out, next, this.count);
      else primitives.orMasks(out, next, this.count);
    }
  }
}

/** Calls `use` for each block of the rows of spans, with its bucket and its first index. */
export function eachBlock(
  { rows, spans }: Positions,
  context: RowContext,
  use: (vectors: Vectors, bucket: number, first: number) => void,
): void {
  const vectors = new Vectors(rows, context);
  for (const { bucket, from, to } of spans) vectors.each(from, to, (first) => use(vectors, bucket, first));
  vectors.end();
}

/** Distance from one mask to the next. */
const MASK_BYTES = BLOCK_ROWS + SLACK;

/** How many masks are needed at once. */
function depthOf(filter: Filter): number {
  switch (filter.kind) {
    case 'not':
      return depthOf(filter.term);
    case 'and':
    case 'or':
      return Math.max(...filter.terms.map((term, at) => depthOf(term) + (at === 0 ? 0 : 1)));
    default:
      return 1;
  }
}
