/** In which of few buckets each person did something: a bit a bucket. */
import { LoopInputs } from '../loops/generate.ts';
import type { RowContext } from '../query-context.ts';
import { runLoop } from './person-loop.ts';
import type { PersonSpans } from './select-persons.ts';

/** By person; bit k is bucket k. */
export type MaskArray = Uint16Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

/** Buckets that a mask has bits for. */
export const MASK_BITS = 32;
/** The narrower array stays in the cache of a processor for twice as many persons. */
const NARROW_BITS = 16;

export class PersonMasks {
  readonly masks: MaskArray;
  readonly #context: RowContext;

  /** @param persons Persons are below this. @param buckets At most MASK_BITS. */
  constructor(persons: number, buckets: number, context: RowContext) {
    const wide = buckets > NARROW_BITS;
    context.budget.take(persons * (wide ? 4 : 2));
    this.masks = wide ? new Int32Array(persons) : new Uint16Array(persons);
    this.#context = context;
  }

  /** Plain form: `masks[persons[i]] |= 1 << bucket`. What is written for nobody (0) is not read. */
  add({ persons: of, list, spans }: PersonSpans): void {
    if (spans.length === 0) return;
    const inputs = new LoopInputs();
    const persons = inputs.name(of);
    const masks = inputs.name(this.masks);
    runLoop(
      spans,
      {
        body: `${masks}[${persons}[i]] |= a;`,
        inputs,
        out: this.masks,
        list,
        numbers: ({ bucket }) => ({ a: 1 << bucket, b: 0 }),
      },
      this.#context,
    );
  }
}

/** The masks of all parts in one array: that of the first, or of the longest. */
export function joinMasks(parts: readonly MaskArray[], context: RowContext): MaskArray {
  const [longest, ...others] = parts.toSorted((a, b) => b.length - a.length);
  if (longest === undefined) return new Uint16Array(0);
  for (const masks of others) {
    context.checkpoint();
    if (longest instanceof Uint16Array) orNarrow(longest, masks);
    else orWide(longest, masks);
  }
  return longest;
}

/** How many persons have each mask; nobody (0) is no person. `visit` sees a mask with a bit once or more often. */
export function countMasks(masks: MaskArray, visit: (mask: number, persons: number) => void): void {
  if (masks instanceof Uint16Array) {
    const persons = new Uint32Array(1 << NARROW_BITS);
    for (let person = 1; person < masks.length; person++) persons[masks[person]!]!++;
    for (let mask = 1; mask < persons.length; mask++) if (persons[mask] !== 0) visit(mask, persons[mask]!);
    return;
  }
  for (let person = 1; person < masks.length; person++) if (masks[person] !== 0) visit(masks[person]!, 1);
}

// Twice: a loop that sees one kind of array runs several times faster.
function orNarrow(into: Uint16Array, masks: MaskArray): void {
  for (let person = 0; person < masks.length; person++) into[person]! |= masks[person]!;
}

function orWide(into: Int32Array, masks: MaskArray): void {
  for (let person = 0; person < masks.length; person++) into[person]! |= masks[person]!;
}
