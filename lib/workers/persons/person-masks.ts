/**
 * In which buckets each person did something: one bit per bucket. An array of words holds 32 buckets of all persons; rows come in
 * order of time, so only one array is written to at a time, and it stays cached.
 */
import { HALVES } from '../../primitives/columns.ts';
import { primitives } from '../../primitives/memory.ts';
import { countsBySlot, SlotState } from '../metrics/state-array.ts';
import type { RowContext } from '../query-context.ts';
import { forPersons } from './person-blocks.ts';
import { joinPersons, personsWith, type JoinedPersons } from './person-lists.ts';
import type { PersonSpans } from './select-events.ts';

/** By person or by their place in a list; bit k is bucket k, or one in a later word. */
export type MaskArray = Uint16Array | Int32Array;

/** The masks of some persons, ascending. Bucket b is bit b % 32 of word b / 32. */
export interface MasksOfPersons {
  readonly persons: Uint32Array;
  readonly words: readonly MaskArray[];
}

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

  /** Those who were active in any bucket, ascending. */
  persons(): Uint32Array {
    const words = this.#words.map(({ values }) => values);
    return personsWith(words, this.#context);
  }

  /** The masks of some persons. */
  of(persons: Uint32Array): readonly MaskArray[] {
    const { budget, memory } = this.#context;
    return this.#words.map(({ values }) => {
      budget.take(persons.length * values.BYTES_PER_ELEMENT);
      return signed(memory.gather(values, persons));
    });
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

const signed = (words: Uint16Array | Uint32Array): MaskArray =>
  words instanceof Uint16Array ? words : new Int32Array(words.buffer, words.byteOffset, words.length);

/** The masks of all parts. */
export function joinMasks(parts: readonly MasksOfPersons[], context: RowContext): readonly MaskArray[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only.words;
  const lists = parts.map(({ persons }) => persons);
  return joinWords(
    parts.map(({ words }) => words),
    joinPersons(lists, context),
    context,
  );
}

/** @param parts By part, by word. */
export function joinWords(
  parts: readonly (readonly MaskArray[])[],
  { persons, places }: JoinedPersons,
  { budget, memory, checkpoint }: RowContext,
): readonly MaskArray[] {
  return parts[0]!.map((first, word) => {
    checkpoint();
    budget.take(persons.length * first.BYTES_PER_ELEMENT);
    const isNarrow = first instanceof Uint16Array;
    const into = (isNarrow ? memory.halves(persons.length) : memory.integers(persons.length)).fill(0);
    for (const [at, words] of parts.entries()) {
      if (into instanceof Uint16Array) orNarrow(into, words[word]!, places[at]!);
      else orWide(into, words[word]!, places[at]!);
    }
    return into;
  });
}

/** How many persons have each mask of a narrow array. */
export function countNarrow(masks: Uint16Array): Uint32Array {
  const persons = new Uint32Array(1 << NARROW_BITS);
  for (let at = 0; at < masks.length; at++) persons[masks[at]!]!++;
  return persons;
}

// Two copies: a loop that sees one kind of array runs several times faster.
function orNarrow(into: Uint16Array, masks: MaskArray, places: Uint32Array): void {
  for (let at = 0; at < masks.length; at++) into[places[at]!]! |= masks[at]!;
}

function orWide(into: Int32Array, masks: MaskArray, places: Uint32Array): void {
  for (let at = 0; at < masks.length; at++) into[places[at]!]! |= masks[at]!;
}
