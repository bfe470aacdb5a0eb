/** Persons of events in order of time, cut into buckets, when little else of the events is needed. */
import type { TimeRange } from '../../dsl/time/units.ts';
import { positionsOf, type RowSpan } from '../groups/positions.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { selectEvents, type EventsWanted } from './select-events.ts';
import { typeArrivals, typeEvents } from './type-events.ts';

/** The person at index k is `persons[list[k]]`, or `persons[k]` without a list; 0 is nobody. */
export interface PersonSpans {
  readonly persons: Uint32Array;
  readonly list: Uint32Array | null;
  readonly spans: readonly RowSpan[];
}

/** Persons whose events can be ordered: times and arrivals are at the same indices as the persons. */
export interface OrderedSpans extends PersonSpans {
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
}

/** Rows, and the time that they cover. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly time: TimeRange;
}

/** Cached for whole event types; otherwise rows are selected. */
export function selectPersons(rows: EventRows, range: Range, wanted: EventsWanted, context: QueryContext): PersonSpans {
  const code = wholeType(wanted, context);
  if (code === 0) {
    const { rows: list, spans } = selectEvents(rows, range, wanted, context);
    return { persons: spans.length === 0 ? NOBODY : rows.persons(), list, spans };
  }
  const { persons, times } = typeEvents(rows.segment, code, context.identity());
  return { persons, list: null, spans: cut(times, range.time, wanted.starts) };
}

export function selectOrdered(
  rows: EventRows,
  range: Range,
  wanted: EventsWanted,
  context: QueryContext,
): OrderedSpans {
  const code = wholeType(wanted, context);
  if (code === 0) {
    const { rows: list, spans } = selectEvents(rows, range, wanted, context);
    if (spans.length === 0) return { persons: NOBODY, times: NEVER, arrivals: NEVER, list, spans };
    return { persons: rows.persons(), times: rows.times(), arrivals: rows.segment.arrivals(), list, spans };
  }
  const { persons, times } = typeEvents(rows.segment, code, context.identity());
  const spans = cut(times, range.time, wanted.starts);
  const arrivals = spans.length === 0 ? NEVER : typeArrivals(rows.segment, code, context.identity());
  return { persons, times, arrivals, list: null, spans };
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
