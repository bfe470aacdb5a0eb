/** The sessions that begin in one segment as rows, in order of their first events, from which fields of events are read. */
import { kept } from '../../base/kept.ts';
import { fieldKey } from '../../dsl/plan/fields.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { codedColumn, type FieldColumn, type RowNumbers } from '../rows/field-column.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { RowSet } from '../rows/row-set.ts';
import { pickCodes } from './pick.ts';
import { keptPlaces, type JoinedPart, type SessionSet } from './session-set.ts';

export class SessionRows implements RowSet {
  readonly rows: number;
  /** The rows that count; null: all. */
  readonly list: Uint32Array | null;
  readonly #set: SessionSet;
  readonly #at: number;
  readonly #part: JoinedPart;
  readonly #events: () => EventRows;
  readonly #columns = new Map<string, FieldColumn | null>();

  /** @param at The part of the set. @param events The rows of its segment. */
  constructor(set: SessionSet, at: number, events: () => EventRows) {
    this.#set = set;
    this.#at = at;
    this.#part = set.parts[at]!;
    this.#events = events;
    this.rows = this.#part.formed.codes.length;
    this.list = keptPlaces(this.#part.dropped);
  }

  rowAt(time: number): number {
    return lowerBound(this.#part.formed.firstTimes, time);
  }

  field(field: Field): FieldColumn | null {
    return kept(this.#columns, fieldKey(field), () =>
      field.kind === 'session' ? this.#own(field) : this.#ofFirstEvents(field),
    );
  }

  /** By row: 1 if the session has one event. */
  ofOneEvent(): Uint8Array {
    const { counts } = this.#part.formed;
    const bytes = new Uint8Array(counts.length);
    for (let row = 0; row < bytes.length; row++) bytes[row] = counts[row] === 1 ? 1 : 0;
    return bytes;
  }

  #own({ name }: Field & { readonly kind: 'session' }): FieldColumn | null {
    const column = this.#set.column(name);
    if (column.kind === 'codes') {
      return column.dictionary === null ? null : codedColumn(column.codes[this.#at]!, column.dictionary);
    }
    return {
      codes: null,
      dictionary: null,
      numbers: { rows: null, values: column.values[this.#at]! },
      times: column.times,
    };
  }

  #ofFirstEvents(field: Field): FieldColumn | null {
    const column = this.#events().field(field);
    if (column === null) return null;
    const { firstRows } = this.#part.formed;
    const { codes, dictionary, numbers, times } = column;
    return {
      codes: codes === null ? null : pickCodes(codes, firstRows),
      dictionary,
      numbers: numbers === null ? null : numbersAt(numbers, firstRows),
      times,
    };
  }
}

/** The numbers at these rows, which ascend like the rows that have numbers. */
function numbersAt(numbers: RowNumbers, rows: Uint32Array): RowNumbers {
  const values = new Float64Array(rows.length);
  const places = new Uint32Array(rows.length);
  let length = 0;
  for (let at = 0, place = 0; at < rows.length; at++) {
    if (numbers.rows === null) place = rows[at]!;
    else while (place < numbers.rows.length && numbers.rows[place]! < rows[at]!) place++;
    if (numbers.rows !== null && numbers.rows[place] !== rows[at]) continue;
    values[length] = numbers.values[place]!;
    places[length++] = at;
  }
  return { rows: length === rows.length ? null : places.subarray(0, length), values: values.subarray(0, length) };
}
