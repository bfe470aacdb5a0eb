/** `session.*` and `user_last_session.*` of events, whatever the source: sessions of all events, not of those that `where` selects. */
import type { Field } from '../../dsl/plan.ts';
import { numberText } from '../../dsl/value.ts';
import type { SegmentSummary } from '../../shards/column.ts';
import type { QueryContext } from '../query-context.ts';
import { codedColumn, type Codebook, type FieldColumn } from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { codesOf, type Forming } from './row-keys.ts';
import { positionsIn, SegmentSessions } from './segment-sessions.ts';
import { CodeSlots, PersonSlots, type SessionSlots } from './session-slots.ts';
import { SessionSet, type SessionColumn } from './session-set.ts';
import { UrlParameters } from './url-parameters.ts';

export type SessionFieldRef = Field & { readonly kind: 'session' | 'last_session' };

/** A person's last session is looked for in these days before the range's end. */
const LAST_SESSION_MS = 90 * 24 * 3_600_000;
const CHECK_EVERY = 65_536;

/** Sessions and, for the rows of a segment, the slot of each; 0: none. */
interface Found {
  readonly set: SessionSet;
  slotsOf(rows: EventRows): Uint32Array;
}

export class EventSessions {
  readonly #context: QueryContext;
  readonly #found = new Map<SessionFieldRef['kind'], Found>();
  readonly #books = new Map<SessionColumn, Codebook>();

  constructor(context: QueryContext) {
    this.#context = context;
  }

  /** The field of the session of each row; null: no row has a value. */
  column(field: SessionFieldRef, rows: EventRows): FieldColumn | null {
    const { set, slotsOf } = this.#of(field.kind);
    if (set.size === 0) return null;
    const column = set.column(field.name);
    const slots = slotsOf(rows);
    if (column.kind === 'codes') {
      return column.book === null ? null : codedColumn(gather(column.codes, slots), column.book);
    }
    // What is asked of a number is asked once a session, not once a row. Texts of times are of the zone: they stay numbers.
    return column.times ? timesOf(column.values, slots) : codedColumn(slots, this.#bookOf(column));
  }

  #of(kind: SessionFieldRef['kind']): Found {
    const known = this.#found.get(kind);
    if (known !== undefined) return known;
    const made = kind === 'session' ? this.#sessions() : this.#lastSessions();
    this.#found.set(kind, made);
    return made;
  }

  #sessions(): Found {
    const slots = new CodeSlots(this.#context.budget);
    const set = this.#form('session', slots, this.#context.plan.range.from);
    const slotsOf = ({ segment }: EventRows): Uint32Array => {
      const codes = segment.column('session_id')?.codes;
      return codes ? slots.ofRows(codes, codesOf(segment).high, this.#context) : new Uint32Array(segment.rows);
    };
    return { set, slotsOf: remembered(slotsOf) };
  }

  #lastSessions(): Found {
    const slots = new PersonSlots(this.#context.budget);
    const set = this.#form('person', slots, this.#context.plan.range.to - LAST_SESSION_MS);
    const newest = new Uint32Array(this.#context.identity().size); // by person
    this.#context.budget.take(newest.byteLength);
    for (let slot = 1; slot <= set.size; slot++) {
      if (slot % CHECK_EVERY === 0) this.#context.checkpoint();
      const person = slots.personOf(slot);
      if (newest[person] === 0 || set.beginsBefore(newest[person]!, slot)) newest[person] = slot;
    }
    return { set, slotsOf: remembered((rows) => gather(newest, rows.persons())) };
  }

  /** The sessions of all events from `from` to the end of the plan's range. */
  #form(forming: Forming, slots: SessionSlots, from: number): SessionSet {
    const context = this.#context;
    const { to } = context.plan.range;
    const set = new SessionSet(slots, context);
    const options = { forming, context, parameters: new UrlParameters(), made: new Map() };
    for (const summary of inRange(context.snapshot.segments, from, to)) {
      context.checkpoint();
      const segment = context.reader.segment(summary.id);
      const range = { from: segment.rowAt(from), to: segment.rowAt(to) };
      set.add(new SegmentSessions(segment, positionsIn(segment, range), options));
    }
    return set;
  }

  #bookOf(column: SessionColumn & { readonly kind: 'numbers' }): Codebook {
    const known = this.#books.get(column) ?? new NumberBook(column.values);
    this.#books.set(column, known);
    return known;
  }
}

function inRange(segments: readonly SegmentSummary[], from: number, to: number): readonly SegmentSummary[] {
  return segments
    .filter((segment) => segment.first < to && segment.last >= from)
    .toSorted((a, b) => a.first - b.first || a.id - b.id);
}

/** Several fields of the same rows share their slots. */
function remembered(slotsOf: (rows: EventRows) => Uint32Array): (rows: EventRows) => Uint32Array {
  const known = new WeakMap<EventRows, Uint32Array>();
  return (rows) => {
    const slots = known.get(rows) ?? slotsOf(rows);
    known.set(rows, slots);
    return slots;
  };
}

function gather(values: Uint32Array, places: Uint32Array): Uint32Array {
  const result = new Uint32Array(places.length);
  for (let at = 0; at < places.length; at++) result[at] = values[places[at]!]!;
  return result;
}

function timesOf(bySlot: Float64Array, slots: Uint32Array): FieldColumn {
  const rows = new Uint32Array(slots.length + 1);
  const values = new Float64Array(slots.length + 1);
  let length = 0;
  for (let row = 0; row < slots.length; row++) {
    rows[length] = row;
    values[length] = bySlot[slots[row]!]!;
    length += slots[row] === 0 ? 0 : 1;
  }
  const numbers = {
    rows: length === slots.length ? null : rows.subarray(0, length),
    values: values.subarray(0, length),
  };
  return { codes: null, book: null, numbers, times: true };
}

/** Numbers of sessions: code = slot. Several codes may have one value. */
class NumberBook implements Codebook {
  readonly key = `session numbers ${++numberBooks}`;
  readonly #values: Float64Array;

  constructor(values: Float64Array) {
    this.#values = values;
  }

  get size(): number {
    return this.#values.length - 1;
  }
  type(): 'number' {
    return 'number';
  }
  text(code: number): string {
    return numberText(this.#values[code]!);
  }
  number(code: number): number {
    return this.#values[code]!;
  }
}

let numberBooks = 0;
