/** What one field came to over the rows of a part: how many have it, of which types, how many texts, which most often. */
import type { Field } from '../../dsl/plan.ts';
import { formatTime } from '../../dsl/time/format-time.ts';
import { compareCodePoints, numberText } from '../../dsl/value.ts';
import { FieldIds } from '../groups/field-ids.ts';
import type { Positions } from '../groups/positions.ts';
import { blocksOf } from '../groups/select.ts';
import { LoopInputs, loopOf } from '../loops/generate.ts';
import type { QueryContext } from '../query-context.ts';
import type { FieldColumn, ValueType } from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { lowerBound } from '../rows/row-set.ts';

const TYPES: readonly ValueType[] = ['string', 'number', 'boolean', 'object', 'array'];
const SAMPLES = 5;
const BYTES_PER_NUMBER = 16;

export class FieldValues {
  readonly #field: Field;
  readonly #context: QueryContext;
  readonly #types = new Set<ValueType>();
  /** Rows that have the field, not null. */
  events = 0;
  /** Texts by id and how many rows have each; null where only presence is asked. */
  readonly #ids: FieldIds | null;
  #counts = new Float64Array(0);
  /** Numbers, and times, one per row. */
  readonly #numbers: Float64Array[] = [];
  #times = false;

  /** @param distinct Also count texts. */
  constructor(field: Field, context: QueryContext, distinct: boolean) {
    this.#field = field;
    this.#context = context;
    this.#ids = distinct ? new FieldIds(field, context) : null;
  }

  add(rows: EventRows, positions: Positions): void {
    const column = rows.keyField(this.#field);
    if (column === null || positions.spans.length === 0) return;
    this.#addCodes(column, positions);
    this.#addNumbers(column, positions);
  }

  /** Joined in a fixed order. */
  get types(): string {
    return TYPES.filter((type) => this.#types.has(type)).join(', ');
  }

  /** Distinct texts, and up to five most frequent ones, then by code point. */
  summary(): { readonly distinct: number; readonly samples: readonly string[] } {
    const texts = new TopTexts();
    const numbers = this.#runs();
    let distinct = 0;
    for (let id = 1; id < this.#counts.length; id++) {
      if (this.#counts[id] === 0) continue;
      const text = this.#ids!.text(id)!;
      const same = numbers.take(text);
      distinct++;
      texts.offer(this.#counts[id]! + same, () => text);
    }
    numbers.forEach((value, count) => {
      distinct++;
      texts.offer(count, () => this.#textOf(value));
    });
    return { distinct, samples: texts.list() };
  }

  /** Plain form: `counts[codes[i]]++`; then what each code means. */
  #addCodes({ codes, book }: FieldColumn, positions: Positions): void {
    if (codes === null || book === null) return;
    const counts = new Uint32Array(book.size + 1);
    this.#context.budget.take(counts.byteLength);
    const inputs = new LoopInputs();
    const loop = loopOf(`out[${inputs.name(codes)}[i]]++;`, inputs, positions.rows !== null);
    for (const { from, to } of positions.spans) {
      for (const block of blocksOf(from, to)) {
        this.#context.checkpoint();
        loop(counts, inputs.arrays, positions.rows, { ...block, a: 0, b: 0 });
      }
    }
    const table = this.#ids?.adopt(book) ?? null;
    if (this.#ids !== null) this.#makeRoom(this.#ids.size);
    for (let code = 1; code < counts.length; code++) {
      if (counts[code] === 0 || book.type(code) === 'null') continue;
      this.events += counts[code]!;
      this.#types.add(book.type(code));
      if (this.#ids !== null) this.#counts[table === null ? code : table[code]!]! += counts[code]!;
    }
    this.#context.budget.release(counts.byteLength);
  }

  #addNumbers({ numbers, times }: FieldColumn, positions: Positions): void {
    if (numbers === null) return;
    const values = numbersAt(numbers, positions, this.#context);
    if (values.length === 0) return;
    this.events += values.length;
    this.#types.add(times ? 'string' : 'number');
    this.#times = times;
    if (this.#ids === null) return;
    this.#context.budget.take(values.length * BYTES_PER_NUMBER);
    this.#numbers.push(values);
  }

  #makeRoom(size: number): void {
    if (size <= this.#counts.length) return;
    const larger = new Float64Array(size);
    this.#context.budget.take(larger.byteLength - this.#counts.byteLength);
    larger.set(this.#counts);
    this.#counts = larger;
  }

  #runs(): NumberRuns {
    const all = new Float64Array(this.#numbers.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const values of this.#numbers) {
      all.set(values, at);
      at += values.length;
    }
    return new NumberRuns(all.map((value) => value + 0).sort(), (value) => this.#textOf(value));
  }

  #textOf(value: number): string {
    return this.#times ? formatTime(value, this.#context.zone) : numberText(value);
  }
}

/** The numbers of the positions' rows. */
function numbersAt(
  numbers: NonNullable<FieldColumn['numbers']>,
  positions: Positions,
  context: QueryContext,
): Float64Array {
  const { rows, values } = numbers;
  if (rows === null) {
    const [span] = positions.spans;
    if (positions.rows === null) return values.slice(span!.from, positions.spans.at(-1)!.to);
    return Float64Array.from(positions.rows.subarray(span!.from, positions.spans.at(-1)!.to), (row) => values[row]!);
  }
  const found: number[] = [];
  for (const { from, to } of positions.spans) {
    context.checkpoint();
    for (let k = from, at = 0; k < to; k++) {
      const row = positions.rows === null ? k : positions.rows[k]!;
      at = lowerBound(rows, row, at);
      if (at === rows.length) break;
      if (rows[at] === row) found.push(values[at]!);
    }
  }
  return Float64Array.from(found);
}

/** Equal numbers of a sorted list, each with how many there are. */
class NumberRuns {
  readonly #sorted: Float64Array;
  readonly #textOf: (value: number) => string;
  readonly #taken = new Set<number>();

  constructor(sorted: Float64Array, textOf: (value: number) => string) {
    this.#sorted = sorted;
    this.#textOf = textOf;
  }

  /** How many numbers have this text; they are left out from now on. */
  take(text: string): number {
    const value = Number(text);
    if (this.#sorted.length === 0 || Number.isNaN(value) || this.#textOf(value) !== text) return 0;
    const from = lowerBound(this.#sorted, value);
    if (this.#sorted[from] !== value) return 0;
    this.#taken.add(value);
    let to = from;
    while (this.#sorted[to] === value) to++;
    return to - from;
  }

  forEach(use: (value: number, count: number) => void): void {
    for (let from = 0, to = 0; from < this.#sorted.length; from = to) {
      const value = this.#sorted[from]!;
      while (this.#sorted[to] === value) to++;
      if (!this.#taken.has(value)) use(value, to - from);
    }
  }
}

/** The most frequent texts. Texts are only made where their count is good enough. */
class TopTexts {
  #best: { readonly count: number; readonly text: string }[] = [];

  offer(count: number, textOf: () => string): void {
    const last = this.#best[SAMPLES - 1];
    if (last !== undefined && count < last.count) return;
    const text = textOf();
    if (last !== undefined && count === last.count && compareCodePoints(text, last.text) > 0) return;
    this.#best.push({ count, text });
    this.#best.sort((a, b) => b.count - a.count || compareCodePoints(a.text, b.text));
    this.#best.length = Math.min(this.#best.length, SAMPLES);
  }

  list(): readonly string[] {
    return this.#best.map(({ text }) => text);
  }
}
