/**
 * In which buckets each person did something: one bit per bucket. An array of words holds 32 buckets of all persons; rows come in
 * order of time, so only one array is written to at a time, and it stays cached.
 */
import { HALVES } from '../../primitives/columns.ts';
import { primitives } from '../../primitives/memory.ts';
import { countsBySlot, SlotState } from '../metrics/state-array.ts';
import type { RowContext } from '../query-context.ts';
import { forPersons } from './person-blocks.ts';
import type { PersonSpans } from './select-events.ts';

/** By person; bit k is bucket k, or one in a later word. */
export type MaskArray = Uint16Array | Int32Array;

/** Of a word. */
export const WORD_BITS = 32;
/** A single word, if sufficient, is narrow: twice as many persons stay in a processor's cache. */
const NARROW_BITS = 16;

export class PersonMasks {
  readonly #words: readonly (SlotState<Uint16Array> | SlotState<Uint32Array>)[];
  readonly #context: RowContext;

  /** @param persons All persons are below this. */
  constructor(persons: number, buckets: number, context: RowContext) {
    const narrow = buckets <= NARROW_BITS;
    const words = Math.max(Math.ceil(buckets / WORD_BITS), 1);
    this.#words = Array.from({ length: words }, () =>
      narrow ? new SlotState(HALVES, 0, context) : countsBySlot(context),
    );
    for (const masks of this.#words) masks.resize(persons);
    this.#context = context;
  }

  /** Bucket b is bit b % 32 of word b / 32. Views. */
  words(): readonly MaskArray[] {
    return this.#words.map(({ values }) =>
      values instanceof Uint16Array ? values : new Int32Array(values.buffer, values.byteOffset, values.length),
    );
  }

  /** Addresses of the masks of 32 buckets each, as words. */
  get addresses(): readonly number[] {
    return this.#words.map(({ address }) => address);
  }

  /** Plain form: `words[bucket / 32][persons[i]] |= 1 << bucket % 32`. What it writes for nobody (0) is never read. */
  add(rows: PersonSpans): void {
    forPersons(rows, this.#context, ({ persons, count, bucket }) => {
      const { address, values } = this.#words[Math.floor(bucket / WORD_BITS)]!;
      const size = values instanceof Uint16Array ? 2 : 4;
      primitives.markPersons(persons, count, 1 << (bucket % WORD_BITS), address, size);
    });
  }
}

/** Merges the words of all parts into the arrays of the one that knows most persons. */
export function joinMasks(parts: readonly (readonly MaskArray[])[], context: RowContext): readonly MaskArray[] {
  const [longest, ...others] = parts.toSorted((a, b) => b[0]!.length - a[0]!.length);
  if (longest === undefined) throw new Error('masks of no parts');
  for (const words of others) {
    for (const [word, masks] of words.entries()) {
      context.checkpoint();
      const into = longest[word]!;
      if (into instanceof Uint16Array) orNarrow(into, masks);
      else orWide(into, masks);
    }
  }
  return longest;
}

/** How many persons have each mask of a narrow array; nobody (0) is no person. */
export function countNarrow(masks: Uint16Array): Uint32Array {
  const persons = new Uint32Array(1 << NARROW_BITS);
  for (let person = 1; person < masks.length; person++) persons[masks[person]!]!++;
  return persons;
}

// Two copies: a loop that sees one kind of array runs several times faster.
function orNarrow(into: Uint16Array, masks: MaskArray): void {
  for (let person = 0; person < masks.length; person++) into[person]! |= masks[person]!;
}

function orWide(into: Int32Array, masks: MaskArray): void {
  for (let person = 0; person < masks.length; person++) into[person]! |= masks[person]!;
}
