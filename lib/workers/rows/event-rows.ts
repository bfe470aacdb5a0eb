/** The events of one segment as rows with fields. */
import { kept } from '../../base/kept.ts';
import { fieldKey } from '../../dsl/plan/fields.ts';
import { spellsNumber } from '../../dsl/plan/value.ts';
import type { CoreField, EnrichedField } from '../../dsl/plan/field-names.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { InsertIdColumn, Segment } from '../../shards/shard-reader.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { QueryContext } from '../query-context.ts';
import {
  dictionaryOf,
  codedColumn,
  plainColumn,
  GrowingDictionary,
  timesColumn,
  type ValueDictionary,
  type ValueType,
  type FieldColumn,
} from './field-column.ts';
import { arithmeticColumn } from './arithmetic-column.ts';
import { ownColumn, propertyColumn } from './property-column.ts';
import type { RowRange, SegmentRows } from './row-set.ts';

/** Dictionaries built while a query runs, by field; one set per part, shared by its segments. */
export type MadeDictionaries = Map<string, GrowingDictionary>;

export class EventRows implements SegmentRows {
  readonly segment: Segment;
  readonly read?: RowRange;
  readonly #context: QueryContext;
  readonly #made: MadeDictionaries;
  readonly #fields = new Map<string, FieldColumn | null>();

  constructor(segment: Segment, context: QueryContext, made: MadeDictionaries, read?: RowRange) {
    this.segment = segment;
    if (read !== undefined) this.read = read;
    this.#context = context;
    this.#made = made;
  }

  get rows(): number {
    return this.segment.rows;
  }
  get first(): number {
    return this.segment.first;
  }
  times(): Float64Array {
    return this.segment.times();
  }
  rowAt(time: number): number {
    return this.segment.rowAt(time);
  }
  /** The person of each row; 0: nobody. */
  persons(): Uint32Array {
    return this.segment.persons(this.#context.identity());
  }

  field(field: Field): FieldColumn | null {
    const name = fieldKey(field);
    return kept(this.#fields, name, () => this.#read(field, name));
  }

  /**
   * As `field`; for a property, the column of its whole path as one key: not what lies in an object, nor in the overflow. Not
   * cached: callers that read all keys read each once, and there may be thousands.
   */
  keyField(field: Field): FieldColumn | null {
    if (field.kind !== 'event' && field.kind !== 'sent') return this.field(field);
    return ownColumn(this.segment, field.kind === 'event' ? 'p' : 'u', field.path);
  }

  #read(field: Field, name: string): FieldColumn | null {
    switch (field.kind) {
      case 'core':
        return this.#core(field.name);
      case 'event':
        return propertyColumn(this.segment, 'p', field.path, this.#dictionary(name));
      case 'sent':
        return propertyColumn(this.segment, 'u', field.path, this.#dictionary(name));
      case 'enriched':
        return this.#enriched(field.name);
      case 'profile':
      case 'account':
        return this.#context.profiles().column(field, this.persons());
      case 'session':
      case 'last_session':
        return this.#context.sessions().column(field, this);
      case 'arithmetic':
        return arithmeticColumn(field, this, this.#context);
      case 'latest':
      case 'did':
      case 'cohort': // see FieldIds
        throw new Error(`an event has no ${name}`);
      default:
        return unreachable(field);
    }
  }

  #dictionary(name: string): GrowingDictionary {
    return kept(this.#made, name, () => new GrowingDictionary(this.#context));
  }

  #core(name: CoreField): FieldColumn | null {
    switch (name) {
      case 'event_type':
      case 'user_id':
      case 'device_id':
      case 'session_id':
        return plainColumn(this.segment.column(name));
      case 'distinct_id':
        return codedColumn(this.persons(), dictionaryOf(this.#context.reader.ids()));
      case 'time':
        return timesColumn({ rows: null, values: this.times() });
      case 'insert_id':
        return codedColumn(oneToN(this.rows), new InsertIdDictionary(this.segment));
      default:
        return unreachable(name);
    }
  }

  #enriched(name: EnrichedField): FieldColumn | null {
    switch (name) {
      case '_url':
      case '_title':
      case '_referrer':
        return stringsOf(plainColumn(this.segment.column(`p:${name.slice(1)}`)));
      default:
        return plainColumn(this.segment.column(name));
    }
  }
}

function stringsOf(column: FieldColumn | null): FieldColumn | null {
  if (!column?.codes || !column.dictionary) return null;
  return codedColumn(column.codes, stringsIn(column.dictionary));
}

function oneToN(n: number): Uint32Array {
  const codes = new Uint32Array(n);
  for (let i = 0; i < n; i++) codes[i] = i + 1;
  return codes;
}

/** A code for every row; an id that occurs again has two. */
class InsertIdDictionary implements ValueDictionary {
  readonly #ids: InsertIdColumn;
  readonly key: string;
  readonly size: number;
  readonly repeats = true;

  constructor(segment: Segment) {
    this.#ids = segment.insertIds();
    this.key = `insert_id:${segment.id}`;
    this.size = segment.rows;
  }
  type(): 'string' {
    return 'string';
  }
  text(code: number): string {
    return this.#ids.text(code - 1);
  }
  number(code: number): number {
    const text = this.text(code);
    return spellsNumber(text) ?? NaN;
  }
}

/** The strings of a dictionary, always the same for the same one. */
function stringsIn(dictionary: ValueDictionary): ValueDictionary {
  return kept(stringDictionaries, dictionary, () => new TextDictionary(dictionary));
}

const stringDictionaries = new WeakMap<ValueDictionary, TextDictionary>();

/** Only strings count: `_url` is `event_properties.url` where that is a string. */
class TextDictionary implements ValueDictionary {
  readonly #dictionary: ValueDictionary;
  readonly key: string;

  constructor(dictionary: ValueDictionary) {
    this.#dictionary = dictionary;
    this.key = `text:${dictionary.key}`;
  }

  get size(): number {
    return this.#dictionary.size;
  }
  get onlyStrings(): boolean {
    return this.#dictionary.onlyStrings ?? false;
  }
  type(code: number): ValueType {
    return this.#dictionary.type(code) === 'string' ? 'string' : 'null';
  }
  text(code: number): string {
    return this.#dictionary.text(code);
  }
  number(code: number): number {
    return this.#dictionary.number(code);
  }
  find(text: string): number {
    return this.#dictionary.find?.(text) ?? 0;
  }
}
