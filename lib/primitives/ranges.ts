/**
 * Allocates ranges of addresses: first from the smallest class of free ranges that may fit, then after the last range. Free
 * neighbours are joined, so that many small ones make room for a large one.
 */

/** Addresses and lengths are multiples of this. */
const ALIGNMENT = 16;
/** Free ranges of a class to try before the next class, all of whose ranges fit. */
const TRIES = 16;

interface Range {
  at: number;
  length: number;
  free: boolean;
  before: Range | null;
  after: Range | null;
}

export class Ranges {
  readonly #grow: (end: number) => void;
  readonly #taken = new Map<number, Range>();
  /** Free ranges by the number of bits of their length. */
  readonly #free: Set<Range>[] = Array.from({ length: 33 }, () => new Set<Range>());
  #last: Range | null = null;
  #end: number;
  /** Bytes now taken. */
  taken = 0;

  /** @param grow Makes addresses up to an end usable; throws if there are none. */
  constructor(first: number, grow: (end: number) => void) {
    this.#end = first;
    this.#grow = grow;
  }

  take(bytes: number): number {
    const length = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    const range = this.#reuse(length) ?? this.#append(length);
    this.#taken.set(range.at, range);
    this.taken += range.length;
    return range.at;
  }

  give(at: number): void {
    const range = this.#taken.get(at);
    if (range === undefined) throw new Error(`nothing was taken at ${at}`);
    this.#taken.delete(at);
    this.taken -= range.length;
    this.#release(this.#joined(range));
  }

  #reuse(length: number): Range | null {
    const own = classOf(length);
    let tries = TRIES;
    for (const range of this.#free[own]!) {
      if (range.length >= length) return this.#cut(range, length);
      if (--tries === 0) break;
    }
    for (let above = own + 1; above < this.#free.length; above++) {
      for (const range of this.#free[above]!) return this.#cut(range, length);
    }
    return null;
  }

  /** Takes the first bytes of a free range; the rest stays free. */
  #cut(range: Range, length: number): Range {
    this.#free[classOf(range.length)]!.delete(range);
    range.free = false;
    if (range.length > length) {
      const rest = {
        at: range.at + length,
        length: range.length - length,
        free: true,
        before: range,
        after: range.after,
      };
      if (range.after === null) this.#last = rest;
      else range.after.before = rest;
      range.after = rest;
      range.length = length;
      this.#release(rest);
    }
    return range;
  }

  #append(length: number): Range {
    const last = this.#last?.free === true ? this.#last : null;
    const at = last?.at ?? this.#end;
    this.#grow(at + length);
    this.#end = at + length;
    if (last !== null) {
      this.#free[classOf(last.length)]!.delete(last);
      return Object.assign(last, { length, free: false });
    }
    const range: Range = { at, length, free: false, before: this.#last, after: null };
    if (this.#last !== null) this.#last.after = range;
    return (this.#last = range);
  }

  /** Joins the range with its free neighbours. */
  #joined(range: Range): Range {
    const { before, after } = range;
    if (after?.free === true) this.#absorb(range, after);
    if (before?.free !== true) return range;
    this.#free[classOf(before.length)]!.delete(before);
    this.#absorb(before, range);
    return before;
  }

  #absorb(range: Range, next: Range): void {
    this.#free[classOf(next.length)]!.delete(next);
    range.length += next.length;
    range.after = next.after;
    if (next.after === null) this.#last = range;
    else next.after.before = range;
  }

  #release(range: Range): void {
    range.free = true;
    this.#free[classOf(range.length)]!.add(range);
  }
}

/** Lengths of a class have the same highest power of two. */
function classOf(length: number): number {
  return 31 - Math.clz32(length);
}
