/** Sessions as rows in order of their first events: what `sessions` groups and measures. A field of events is that of the first. */
import type { Field } from '../../dsl/plan.ts';
import type { QueryContext } from '../query-context.ts';
import { codedColumn, type FieldColumn } from '../rows/field-column.ts';
import { EventRows, type MadeBooks } from '../rows/event-rows.ts';
import { lowerBound, type RowSet } from '../rows/row-set.ts';
import { fieldKey } from '../../dsl/fields.ts';
import { joinFields, type FieldPiece } from './join-fields.ts';
import { orderByTime } from './order-by-time.ts';
import type { SessionColumn, SessionSet } from './session-set.ts';

export class SessionRows implements RowSet {
  readonly rows: number;
  readonly #set: SessionSet;
  readonly #context: QueryContext;
  /** The slot of each row; null: slot - 1 is the row. */
  readonly #order: Uint32Array | null;
  readonly #times: Float64Array;
  readonly #columns = new Map<string, FieldColumn | null>();
  readonly #made: MadeBooks = new Map();

  constructor(set: SessionSet, context: QueryContext) {
    this.#set = set;
    this.#context = context;
    this.rows = set.size;
    context.budget.take(set.size * BYTES_PER_ROW);
    this.#order = orderByTime(set.firstTimes, set.size);
    this.#times = this.#inOrder(set.firstTimes);
  }

  times(): Float64Array {
    return this.#times;
  }
  rowAt(time: number): number {
    return lowerBound(this.#times, time);
  }

  field(field: Field): FieldColumn | null {
    const name = fieldKey(field);
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const made = field.kind === 'session' ? this.#own(this.#set.column(field.name)) : this.#ofFirstEvents(field);
    this.#columns.set(name, made);
    return made;
  }

  #own(column: SessionColumn): FieldColumn | null {
    if (column.kind === 'numbers') {
      const numbers = { rows: null, values: this.#inOrder(column.values) };
      return { codes: null, book: null, numbers, times: column.times };
    }
    const { codes, book } = column;
    const { rows } = this;
    if (book === null) return null;
    if (this.#order === null) return codedColumn(codes.subarray(1, rows + 1), book);
    return codedColumn(
      this.#order.map((slot) => codes[slot]!),
      book,
    );
  }

  #inOrder(bySlot: Float64Array): Float64Array {
    const order = this.#order;
    if (order === null) return bySlot.subarray(1, this.rows + 1);
    return Float64Array.from(order, (slot) => bySlot[slot]!);
  }

  /** Segment by segment, so that the columns of only one are held at a time. */
  #ofFirstEvents(field: Field): FieldColumn | null {
    const pieces: FieldPiece[] = [];
    for (const [part, { at, rows }] of this.#firstEvents().entries()) {
      this.#context.checkpoint();
      const events = new EventRows(this.#set.parts[part]!.segment, this.#context, this.#made);
      const column = events.field(field);
      if (column !== null) pieces.push({ column, at, rows });
    }
    return joinFields(pieces, this.rows, this.#context);
  }

  /** By part of the set: rows of its segment that are first events, and the rows of sessions that they stand for. */
  #firstEvents(): readonly { readonly at: Uint32Array; readonly rows: Uint32Array }[] {
    const { parts } = this.#set;
    const found = parts.map(() => ({ at: [] as number[], rows: [] as number[] }));
    for (let row = 0; row < this.rows; row++) {
      const event = this.#set.firstEvent(this.#order === null ? row + 1 : this.#order[row]!);
      found[event.part]!.at.push(event.row);
      found[event.part]!.rows.push(row);
    }
    return found.map(({ at, rows }) => ({ at: Uint32Array.from(at), rows: Uint32Array.from(rows) }));
  }
}

const BYTES_PER_ROW = 24;
