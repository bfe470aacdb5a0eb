/** The events of one segment that make up persons' histories: their rows, or only their persons and order. */
import { joinAnd } from '../../dsl/plan/conditions.ts';
import type { Condition, EventName } from '../../dsl/plan/plan.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { NO_ROWS, positionsOf, type Positions, type RowSpan } from '../groups/positions.ts';
import { select } from '../groups/select.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sourceRows } from '../groups/source-rows.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { CHECK_EVERY } from '../check-every.ts';
import { filterOf } from '../where/filter.ts';
import { typeArrivals, typeEvents } from './type-events.ts';
import type { RowRange } from '../rows/row-set.ts';

export interface EventsWanted {
  readonly event: EventName;
  /** All must hold. */
  readonly where: readonly (Condition | null)[];
  /** First instants of the buckets into which rows are cut; null: one bucket. */
  readonly starts: Float64Array | null;
}

export function selectEvents(
  rows: EventRows,
  range: RowRange,
  { event, where, starts }: EventsWanted,
  context: QueryContext,
): Positions {
  const source = sourceRows(rows, range, { event, person: null }, context);
  if (source.from >= source.to) return NO_ROWS;
  const conditions = where.filter((condition) => condition !== null);
  const filter = filterOf(joinAnd(conditions), rows, context);
  return select(positionsOf(rows, source.list, source, starts), filter, context);
}

/** Positions with the person of each row, `persons[row]`; 0 is nobody. */
export interface PersonSpans extends Positions {
  readonly persons: Uint32Array;
}

/** Persons whose events can be ordered: times and arrivals are at the same indices as the persons. */
export interface OrderedSpans extends PersonSpans {
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
}

/** Rows, and the time that they cover. */
interface Range extends RowRange {
  readonly time: TimeRange;
}

/** Cached for whole event types; otherwise rows are selected. */
export function selectPersons(rows: EventRows, range: Range, wanted: EventsWanted, context: QueryContext): PersonSpans {
  const code = wholeType(wanted, context);
  if (code === 0) {
    const positions = selectEvents(rows, range, wanted, context);
    return { ...positions, persons: positions.spans.length === 0 ? NOBODY : rows.persons() };
  }
  const { persons, times } = typeEvents(rows.segment, code, context.identity());
  return { persons, rows: null, spans: cut(times, range.time, wanted.starts) };
}

/** The same with the time of each, at the same indices. */
export function selectTimed(
  rows: EventRows,
  range: Range,
  wanted: EventsWanted,
  context: QueryContext,
): Omit<OrderedSpans, 'arrivals'> {
  const code = wholeType(wanted, context);
  if (code === 0) {
    const positions = selectEvents(rows, range, wanted, context);
    if (positions.spans.length === 0) return { ...positions, persons: NOBODY, times: NEVER };
    return { ...positions, persons: rows.persons(), times: rows.times() };
  }
  const { persons, times } = typeEvents(rows.segment, code, context.identity());
  return { persons, times, rows: null, spans: cut(times, range.time, wanted.starts) };
}

/** Calls with the person and the time of each; 0 is nobody. */
export function eachTimed(
  { rows, spans, persons, times }: Omit<OrderedSpans, 'arrivals'>,
  { checkpoint }: Pick<QueryContext, 'checkpoint'>,
  use: (person: number, time: number) => void,
): void {
  for (const { from, to } of spans) {
    for (let at = from; at < to; at++) {
      if (at % CHECK_EVERY === 0) checkpoint();
      const row = rows === null ? at : rows[at]!;
      use(persons[row]!, times[row]!);
    }
  }
}

export function selectOrdered(
  rows: EventRows,
  range: Range,
  wanted: EventsWanted,
  context: QueryContext,
): OrderedSpans {
  const code = wholeType(wanted, context);
  const timed = selectTimed(rows, range, wanted, context);
  if (timed.spans.length === 0) return { ...timed, arrivals: NEVER };
  const arrivals = code === 0 ? rows.segment.arrivals() : typeArrivals(rows.segment, code, context.identity());
  return { ...timed, arrivals };
}

const NOBODY = new Uint32Array(0);
const NEVER = new Float64Array(0);

/** The code of the event type if all of its events are wanted; else 0. */
function wholeType({ event, where }: EventsWanted, { reader }: QueryContext): number {
  if (event === null || where.some((condition) => condition !== null)) return 0;
  return reader.eventTypes().find(event);
}

function cut(times: Float64Array, range: TimeRange, starts: Float64Array | null): readonly RowSpan[] {
  const events = { rowAt: (time: number) => lowerBound(times, time) };
  return positionsOf(events, null, { from: events.rowAt(range.from), to: events.rowAt(range.to) }, starts).spans;
}
