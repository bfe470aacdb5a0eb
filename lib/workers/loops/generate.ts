/**
 * Row loops written for the shape of a plan: `hist[base + t[c[i]]] += f[d[i]]` in one pass over the rows, without branches
 * or calls. The source is made of the plan's structure alone (which operators over how many arrays of which width); texts,
 * numbers and names of a query only ever come in as contents of typed arrays. A source is compiled once per thread.
 */

export type LoopArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** Names what a loop reads while its source is written. */
export interface LoopWriter {
  /** The name of an array that is read at any place. */
  table(array: LoopArray): string;
  /** The value that an array has for the row at hand. */
  value(array: LoopArray): string;
}

/** The arrays that an expression reads, by the names a0, a1, … that stand for them in the source. */
export class LoopInputs implements LoopWriter {
  readonly arrays: LoopArray[] = [];

  /** The array's name; the same array has one name. */
  name(array: LoopArray): string {
    const known = this.arrays.indexOf(array);
    return `a${known >= 0 ? known : this.arrays.push(array) - 1}`;
  }

  table(array: LoopArray): string {
    return this.name(array);
  }

  value(array: LoopArray): string {
    return `${this.name(array)}[i]`;
  }

  get kinds(): string {
    return kindsOf(this.arrays);
  }
}

/** Widths of arrays: a loop that only ever sees one kind of array runs several times faster. */
export function kindsOf(arrays: readonly LoopArray[]): string {
  return arrays.map((array) => KINDS[array.constructor.name] ?? '?').join('');
}

/** Where a loop is to run. a and b: two numbers that it may use. All are whole and below 2^31. */
export interface LoopSpan {
  readonly from: number;
  readonly to: number;
  readonly a: number;
  readonly b: number;
}

/**
 * out: what the loop writes. rows: the rows to visit, `rows[from]` to `rows[to - 1]`; null: the rows `from` to `to - 1`
 * themselves. a, b: two numbers that the loop may use. Returns what the loop counts.
 */
export type Loop = (out: LoopArray, inputs: readonly LoopArray[], rows: Uint32Array | null, span: LoopSpan) => number;

const KINDS: Readonly<Record<string, string>> = {
  Uint8Array: 'b',
  Uint16Array: 'h',
  Uint32Array: 'w',
  Int32Array: 'i',
  Float64Array: 'd',
};
/** Compiled loops kept. Shapes are few; a client that makes up ever new conditions must not fill the memory. */
const MAX_LOOPS = 1_000;
const loops = new Map<string, Loop>();

/**
 * The loop with this body for every row. The body may use `i` (the row), `k` (its place), `n` (a count, returned), `out`,
 * `a`, `b` and the names of the inputs.
 */
export function loopOf(body: string, inputs: LoopInputs, listed: boolean): Loop {
  return compileLoop(`${inputs.kinds} ${listed ? 'rows' : 'range'} ${body}`, () => sourceOf(body, inputs, listed));
}

/** The loop of a signature, compiled from its source when it is not there. */
export function compileLoop(signature: string, source: () => string): Loop {
  const known = loops.get(signature);
  if (known !== undefined) return known;
  if (loops.size >= MAX_LOOPS) loops.clear();
  // A function made of text has no type of its own; this is the one it was written to have.
  // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-type-assertion -- made of the plan's shape alone, never of anyone's text
  const made = new Function('out', 'inputs', 'rows', 'numbers', source()) as MadeLoop;
  const loop: Loop = (out, inputs, rows, span) => {
    numbers[0] = span.from;
    numbers[1] = span.to;
    numbers[2] = span.a;
    numbers[3] = span.b;
    return made(out, inputs, rows, numbers);
  };
  loops.set(signature, loop);
  return loop;
}

type MadeLoop = (out: LoopArray, inputs: readonly LoopArray[], rows: Uint32Array | null, span: Int32Array) => number;

/**
 * How a loop is told its span. An object would do, but that the engine keeps equal numbers in two ways, by the code that made
 * them, and gives up a loop that it compiled for one of them when the other comes.
 */
const numbers = new Int32Array(4);
/** Declares the numbers of a span, at the head of a source. */
export const SPAN_NAMES = 'const from = numbers[0], to = numbers[1], a = numbers[2], b = numbers[3];';

function sourceOf(body: string, inputs: LoopInputs, listed: boolean): string {
  const names = inputs.arrays.map((_, at) => `const a${at} = inputs[${at}];`).join(' ');
  return `'use strict';
${SPAN_NAMES}
${names}
let n = 0;
for (let k = from; k < to; k++) { const i = ${listed ? 'rows[k]' : 'k'}; ${body} }
return n;`;
}
