/** What one field holds in the rows of a part: how many have it, of which types, how many texts, and the most frequent. */
import type { CoreField } from '../../../dsl/plan/field-names.ts';
import type { Field } from '../../../dsl/plan/plan.ts';
import { firstInOrder } from '../../../dsl/finish/select-rows.ts';
import { formatTime } from '../../../dsl/time/format-time.ts';
import { numberText } from '../../../dsl/plan/value.ts';
import { FieldIds } from '../../groups/field-ids.ts';
import { countNumbers, numbersIn } from '../../groups/scan.ts';
import { rowsIn, type Positions } from '../../groups/positions.ts';
import { countsBySlot, numbersBySlot } from '../../metrics/state-array.ts';
import type { QueryContext } from '../../query-context.ts';
import { GrowingDictionary, type ValueDictionary, type FieldColumn, type ValueType } from '../../rows/field-column.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { countRowCodes, countSome } from './count-codes.ts';
import { InsertIdCounts } from './insert-id-counts.ts';
import { NumberRuns } from './number-runs.ts';
import { SAMPLES, TopTexts } from './top-texts.ts';

const TYPES: readonly ValueType[] = ['string', 'number', 'boolean', 'object', 'array'];

/** What every event has, as a string. */
const EVERYWHERE: readonly CoreField[] = ['event_type', 'time', 'insert_id'];
const NO_NUMBERS = new Float64Array(0);

export class FieldValues {
  readonly #field: Field;
  readonly #context: QueryContext;
  readonly #types = new Set<ValueType>();
  /** Rows that have the field, other than null. */
  events = 0;
  /** Texts by id and how many rows have each; null if only presence is asked. */
  readonly #ids: FieldIds | null;
  readonly #counts;
  /** Every row has the field, and its values are not asked. */
  readonly #isEverywhere: boolean;
  /** For insert ids, if texts are counted, instead of all these. */
  readonly #insertIds: InsertIdCounts | null;
  /** Values that lie in no column, and how many rows have each, by code. */
  readonly #values: GrowingDictionary;
  readonly #counted: number[] = [];
  /** Numbers and times, one per row. */
  readonly #numbers: Float64Array[] = [];
  #times = false;

  /** @param distinct Also count texts. */
  constructor(field: Field, context: QueryContext, distinct: boolean) {
    this.#field = field;
    this.#context = context;
    this.#isEverywhere = !distinct && field.kind === 'core' && EVERYWHERE.includes(field.name);
    this.#insertIds =
      distinct && field.kind === 'core' && field.name === 'insert_id' ? new InsertIdCounts(context) : null;
    this.#counts = numbersBySlot(context);
    this.#values = new GrowingDictionary(context);
    this.#ids = distinct ? new FieldIds({ field }, context) : null;
  }

  add(rows: EventRows, positions: Positions): void {
    if (this.#insertIds !== null || this.#isEverywhere) {
      this.#insertIds?.add(rows.segment.insertIds(), positions);
      this.see('string', rowsIn(positions.spans));
      return;
    }
    const column = rows.keyField(this.#field);
    if (column === null || positions.spans.length === 0) return;
    if (this.#ids === null && column.codes !== null && column.dictionary?.onlyStrings === true)
      this.see('string', countSome(column.codes, positions, this.#context));
    else this.#addCodes(column, positions);
    this.#addNumbers(column, positions);
  }

  /** Adds values that stand for several rows each: `weights` says for how many. */
  addWeighted({ codes, dictionary, numbers, times }: FieldColumn, weights: Uint32Array): void {
    if (codes !== null && dictionary !== null) {
      const counts = new Uint32Array(dictionary.size + 1);
      this.#context.budget.take(counts.byteLength);
      for (let i = 0; i < weights.length; i++) counts[codes[i]!]! += weights[i]!;
      this.#takeCounts(
        dictionary,
        counts,
        weights.reduce((sum, weight) => sum + weight, 0),
      );
      this.#context.budget.release(counts.byteLength);
    }
    if (numbers === null) return;
    const { rows, values } = numbers;
    const weightOf = (i: number): number => weights[rows === null ? i : rows[i]!]!;
    const total = values.reduce((sum, _, i) => sum + weightOf(i), 0);
    this.#takeNumbers(total, times, () => repeated(values, weightOf, total));
  }

  /** Adds a JSON value that so many rows have. */
  addValue(value: unknown, rows: number): void {
    if (value === null) return;
    this.see(typeOfValue(value), rows);
    if (this.#ids === null) return;
    const code = this.#values.codeOf(value);
    this.#counted[code] = (this.#counted[code] ?? 0) + rows;
  }

  /** Joined in a fixed order. */
  get types(): string {
    return TYPES.filter((type) => this.#types.has(type)).join(', ');
  }

  /** The number of distinct texts, and up to five samples: the most frequent, then by code point. */
  summary(): { readonly distinct: number; readonly samples: readonly string[] } {
    const texts = new TopTexts();
    this.#takeValues();
    if (this.#insertIds !== null) return { distinct: this.#insertIds.offer(texts), samples: texts.list() };
    const numbers = new NumberRuns(this.#numbers, (value) => this.#textOf(value));
    if (numbers.isEmpty) return { distinct: this.#offerTexts(texts), samples: texts.list() };
    let distinct = 0;
    for (let id = 1; id < this.#counts.values.length; id++) {
      if (this.#counts.values[id] === 0) continue;
      distinct++;
      const textOf = (): string => this.#ids!.text(id)!;
      texts.offer(this.#counts.values[id]! + numbers.take(textOf()), textOf);
    }
    distinct += this.#times ? numbers.offerTimes(texts) : numbers.offer(texts);
    return { distinct, samples: texts.list() };
  }

  /** For texts only: finds the best before making any. Returns how many there are. */
  #offerTexts(texts: TopTexts): number {
    const counts = this.#counts.values;
    const ids = Uint32Array.from(counts.keys()).filter((id) => id > 0 && counts[id]! > 0);
    const compare = (a: number, b: number): number => counts[b]! - counts[a]! || this.#ids!.compare(a, b);
    const best = ids.length <= SAMPLES ? ids : firstInOrder(ids, compare, SAMPLES);
    for (const id of best) texts.offer(counts[id]!, () => this.#ids!.text(id)!);
    return ids.length;
  }

  /** Counts codes, then looks up what each means. */
  #addCodes({ codes, dictionary }: FieldColumn, positions: Positions): void {
    if (codes === null || dictionary === null) return;
    const state = countsBySlot(this.#context);
    state.resize(dictionary.size + 1);
    countRowCodes(codes, positions, state, this.#context);
    this.#takeCounts(dictionary, state.values, rowsIn(positions.spans));
    state.release();
  }

  /** @param counts How many of so many rows have each code. */
  #takeCounts(dictionary: ValueDictionary, counts: Uint32Array, rows: number): void {
    const onlyStrings = dictionary.onlyStrings === true;
    if (this.#ids === null && onlyStrings) {
      this.see('string', rows - counts[0]!);
      return;
    }
    const table = this.#ids?.adopt(dictionary) ?? null;
    if (this.#ids !== null) this.#counts.resize(this.#ids.size);
    for (let code = 1; code < counts.length; code++) {
      if (counts[code] === 0) continue;
      const type = onlyStrings ? 'string' : dictionary.type(code);
      if (type === 'null') continue;
      this.see(type, counts[code]!);
      if (this.#ids !== null) this.#counts.values[table === null ? code : table[code]!]! += counts[code]!;
    }
  }

  /** Counts what `addValue` got by text; what it says of types and rows is known. */
  #takeValues(): void {
    if (this.#ids === null || this.#values.size === 0) return;
    const table = this.#ids.adopt(this.#values);
    this.#counts.resize(this.#ids.size);
    for (let code = 1; code <= this.#values.size; code++)
      this.#counts.values[table === null ? code : table[code]!]! += this.#counted[code]!;
  }

  #addNumbers({ numbers, times }: FieldColumn, positions: Positions): void {
    if (numbers === null) return;
    if (this.#ids === null) {
      this.#takeNumbers(countNumbers(numbers, positions, this.#context), times, () => NO_NUMBERS);
      return;
    }
    const { values, spans } = numbersIn(numbers, positions, this.#context);
    for (const { from, to } of spans) this.#takeNumbers(to - from, times, () => values.subarray(from, to));
  }

  /** @param valuesOf Called if texts are counted. */
  #takeNumbers(count: number, times: boolean, valuesOf: () => Float64Array): void {
    if (count === 0) return;
    this.see(times ? 'string' : 'number', count);
    this.#times = times;
    if (this.#ids === null) return;
    this.#context.budget.take(count * (8 + 8)); // they are sorted in a copy
    this.#numbers.push(valuesOf());
  }

  /** So many more rows have a value of this type. */
  see(type: ValueType, events: number): void {
    if (events === 0) return;
    this.events += events;
    this.#types.add(type);
  }

  #textOf(value: number): string {
    return this.#times ? formatTime(value, this.#context.zone) : numberText(value);
  }
}

/** The type of a JSON value other than null. */
export function typeOfValue(value: unknown): ValueType {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return Array.isArray(value) ? 'array' : 'object';
}

/** Repeats each value as often as its weight says. */
function repeated(values: Float64Array, weightOf: (i: number) => number, total: number): Float64Array {
  const all = new Float64Array(total);
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    const to = at + weightOf(i);
    all.fill(values[i]!, at, to);
    at = to;
  }
  return all;
}
