/** The sessions that begin in one segment as rows, in order of their first events, from which fields of events are read. */
import { kept } from '../../base/kept.ts';
import { fieldKey } from '../../dsl/plan/fields.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { arithmeticColumn } from '../rows/arithmetic-column.ts';
import { codedColumn, type FieldColumn } from '../rows/field-column.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import type { RowRange, RowSet } from '../rows/row-set.ts';
import { pickColumn } from '../rows/pick-column.ts';
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
    return kept(this.#columns, fieldKey(field), () => {
      if (field.kind === 'arithmetic') return arithmeticColumn(field, this, this.#set);
      return field.kind === 'session' ? this.#own(field) : this.#ofFirstEvents(field);
    });
  }

  /** Those that count and begin in a range of time: entries of the list, or rows without one. */
  begunIn({ from, to }: TimeRange): RowRange {
    const [first, last] = [this.rowAt(from), this.rowAt(to)];
    const { list } = this;
    return list === null ? { from: first, to: last } : { from: lowerBound(list, first), to: lowerBound(list, last) };
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
    return pickColumn(column, this.#part.formed.firstRows);
  }
}
