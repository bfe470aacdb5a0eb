/**
 * In which buckets each person did something: a bit a bucket. An array of words holds 32 buckets of all persons; rows come
 * in order of time, so that only one array is written to at a time, and it stays near at hand.
 */
import type { Span } from '../groups/positions.ts';
import { LoopInputs } from '../loops/generate.ts';
import type { RowContext } from '../query-context.ts';
import { runLoop } from './person-loop.ts';
import type { PersonSpans } from './select-persons.ts';

/** By person; bit k is bucket k, or one of a later word. */
export type MaskArray = Uint16Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

/** Bits of a word, 2 ** WORD_SHIFT. */
export const WORD_BITS = 32;
export const WORD_SHIFT = 5;
/** The only word, where it is enough, is narrow: twice as many persons stay in the cache of a processor. */
const NARROW_BITS = 16;

export class PersonMasks {
  /** Bucket b is bit b % 32 of word b / 32. */
  readonly words: readonly MaskArray[];
  readonly #context: RowContext;

  /** @param persons Persons are below this. */
  constructor(persons: number, buckets: number, context: RowContext) {
    const narrow = buckets <= NARROW_BITS;
    const words = Math.max(Math.ceil(buckets / WORD_BITS), 1);
    context.budget.take(persons * words * (narrow ? 2 : 4));
    this.words = narrow ? [new Uint16Array(persons)] : Array.from({ length: words }, () => new Int32Array(persons));
    this.#context = context;
  }

  /** Plain form: `words[bucket / 32][persons[i]] |= 1 << bucket % 32`. What is written for nobody (0) is not read. */
  add({ persons, list, spans }: PersonSpans): void {
    for (const [word, masks] of this.words.entries()) {
      const own = spans.filter(({ bucket }) => bucket >>> WORD_SHIFT === word);
      if (own.length > 0) this.#mark(masks, { persons, list, spans: own });
    }
  }

  #mark(masks: MaskArray, { persons, list, spans }: PersonSpans): void {
    const inputs = new LoopInputs();
    const [of, own] = [inputs.name(persons), inputs.name(masks)];
    const body = `${own}[${of}[i]] |= a;`;
    const numbers = ({ bucket }: Span): { a: number; b: number } => ({ a: 1 << bucket, b: 0 });
    runLoop(spans, { body, inputs, out: masks, list, numbers }, this.#context);
  }
}

/** The words of all parts in the arrays of one: the one that knows most persons. */
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

// Twice: a loop that sees one kind of array runs several times faster.
function orNarrow(into: Uint16Array, masks: MaskArray): void {
  for (let person = 0; person < masks.length; person++) into[person]! |= masks[person]!;
}

function orWide(into: Int32Array, masks: MaskArray): void {
  for (let person = 0; person < masks.length; person++) into[person]! |= masks[person]!;
}
