/**
 * Generated loops that take four rows at a time where they can: narrow codes are read from whole words, because each read of
 * a typed array checks its bounds, which costs more than the work on what was read. As in generate.ts a source holds nothing
 * but the structure of a plan.
 */
import { compileLoop, kindsOf, SPAN_NAMES, type LoopArray, type LoopSpan, type LoopWriter } from './generate.ts';

/** What a loop reads, and how the row at hand is read while its source is written. */
export class PackedInputs implements LoopWriter {
  readonly #arrays: LoopArray[] = [];
  readonly #byRow: LoopArray[] = [];
  #lane: number | null = null;

  /** A table of any use: its name in the source. */
  table(array: LoopArray): string {
    return `a${this.#placeOf(array)}`;
  }

  /** The value that the array has for the row at hand. */
  value(array: LoopArray): string {
    if (!this.#byRow.includes(array)) this.#byRow.push(array);
    const name = this.table(array);
    if (this.#lane === null || !isNarrow(array)) return `${name}[i]`;
    if (array.BYTES_PER_ELEMENT === 1) return `(${name}w >>> ${8 * this.#lane} & 255)`;
    const word = `${name}${this.#lane < 2 ? 'x' : 'y'}`;
    return this.#lane % 2 === 0 ? `(${word} & 65535)` : `(${word} >>> 16)`;
  }

  /** `a`, or where four rows are taken at a time and what they write is apart, `a + b`, `a + 2 * b`, `a + 3 * b`. */
  get base(): string {
    return this.#lane === null ? 'a' : `p${this.#lane}`;
  }

  /** Writes for the nth of four rows, or with null for a single one. */
  take(lane: number | null): this {
    this.#lane = lane;
    return this;
  }

  /** The arrays as the loop is given them: the words of narrow ones at the end, where rows are taken four at a time. */
  arrays(packed: boolean): readonly LoopArray[] {
    return packed ? [...this.#arrays, ...this.#narrow.map(wordsOf)] : this.#arrays;
  }

  /** Whether rows can be taken four at a time. */
  get packable(): boolean {
    return this.#narrow.every(({ byteOffset }) => byteOffset % 4 === 0);
  }

  /** Widths of the arrays: a loop that only ever sees one kind of array runs several times faster. */
  get kinds(): string {
    return kindsOf(this.#arrays);
  }

  /** Declares the arrays. */
  names(): string {
    return this.#arrays.map((_, at) => `const a${at} = inputs[${at}];`).join(' ');
  }

  /** Declares the arrays of words. */
  wordNames(): string {
    return this.#narrow
      .map((array, at) => `const ${this.table(array)}p = inputs[${this.#arrays.length + at}];`)
      .join(' ');
  }

  /** Reads the words of rows k to k + 3. */
  wordReads(): string {
    return this.#narrow
      .map((array) => {
        const name = this.table(array);
        if (array.BYTES_PER_ELEMENT === 1) return `const ${name}w = ${name}p[k >>> 2];`;
        return `const ${name}x = ${name}p[k >>> 1], ${name}y = ${name}p[(k >>> 1) + 1];`;
      })
      .join(' ');
  }

  get #narrow(): LoopArray[] {
    return this.#byRow.filter(isNarrow);
  }

  #placeOf(array: LoopArray): number {
    const known = this.#arrays.indexOf(array);
    return known >= 0 ? known : this.#arrays.push(array) - 1;
  }
}

/**
 * Runs over `rows[from]` to `rows[to - 1]`, without a list over the rows `from` to `to - 1` themselves, and writes to `out`.
 * Returns what the loop counts.
 */
export type PackedLoop = (out: LoopArray, span: LoopSpan) => number;

/** Longer sources are not written four times: compiling them would take longer than they save. Characters. */
const MAX_PACKED = 2_000;
const LANES = [0, 1, 2, 3];

/**
 * The loop with this body for every row. `body` writes it, with the arrays by their names in `inputs`; it may use `i` (the
 * row), `k` (its place), `n` (a count, returned), `out`, `from`, `a` (better `inputs.base`) and `b`.
 */
export function packedLoop(body: (inputs: PackedInputs) => string, rows: Uint32Array | null): PackedLoop {
  const inputs = new PackedInputs();
  const source = body(inputs);
  const packed = rows === null && source.length <= MAX_PACKED && inputs.packable;
  const shape = rows !== null ? 'listed' : packed ? 'packed' : 'plain';
  const run = compileLoop(`${shape} ${inputs.kinds} ${source}`, () =>
    packed ? packedSource(body, inputs) : plainSource(source, inputs, rows !== null),
  );
  const arrays = inputs.arrays(packed);
  return (out, span) => run(out, arrays, rows, span);
}

const HEAD = `'use strict';
${SPAN_NAMES}
let n = 0;`;

function plainSource(body: string, inputs: PackedInputs, listed: boolean): string {
  return `${HEAD} ${inputs.names()}
for (let k = from; k < to; k++) { const i = ${listed ? 'rows[k]' : 'k'}; ${body} }
return n;`;
}

/** Single rows up to a multiple of four, then four at a time, then the rest. */
function packedSource(body: (inputs: PackedInputs) => string, inputs: PackedInputs): string {
  const single = body(inputs.take(null));
  const four = LANES.map((lane) => `{ const i = k + ${lane}; ${body(inputs.take(lane))} }`).join('\n');
  inputs.take(null);
  return `${HEAD} ${inputs.names()} ${inputs.wordNames()}
const p0 = a, p1 = a + b, p2 = a + 2 * b, p3 = a + 3 * b;
const start = Math.min(to, (from + 3) & ~3), end = Math.max(start, to & ~3);
for (let k = from; k < start; k++) { const i = k; ${single} }
for (let k = start; k < end; k += 4) { ${inputs.wordReads()}
${four} }
for (let k = end; k < to; k++) { const i = k; ${single} }
return n;`;
}

function isNarrow(array: LoopArray): boolean {
  return array.BYTES_PER_ELEMENT < 4;
}

/** The whole words of an array of bytes or halves, lowest first. */
function wordsOf(array: LoopArray): Uint32Array {
  return new Uint32Array(array.buffer, array.byteOffset, Math.floor(array.byteLength / 4));
}
