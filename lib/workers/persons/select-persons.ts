/** Persons of events in order of time, cut into buckets, where nothing else of the events is asked. */
import type { TimeRange } from '../../dsl/plan.ts';
import { positionsOf, type Span } from '../groups/positions.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { lowerBound } from '../rows/row-set.ts';
import { selectEvents, type EventsWanted } from './select-events.ts';
import { typeEvents } from './type-events.ts';

/** The person at place k is `persons[list[k]]`, or `persons[k]` without a list; 0 is nobody. */
export interface PersonSpans {
  readonly persons: Uint32Array;
  readonly list: Uint32Array | null;
  readonly spans: readonly Span[];
}

/** @param range Of rows, and the time that it stands for. */
export function selectPersons(
  rows: EventRows,
  range: { readonly from: number; readonly to: number; readonly time: TimeRange },
  wanted: EventsWanted,
  context: QueryContext,
): PersonSpans {
  const { event, where, starts } = wanted;
  const code = event === null ? 0 : context.reader.eventTypes().find(event);
  if (code === 0 || where.some((condition) => condition !== null)) {
    const { rows: list, spans } = selectEvents(rows, range, wanted, context);
    return { persons: spans.length === 0 ? NONE : rows.persons(), list, spans };
  }
  const { persons, times } = typeEvents(rows.segment, code, context.identity());
  const events = { rowAt: (time: number) => lowerBound(times, time) };
  const places = { from: events.rowAt(range.time.from), to: events.rowAt(range.time.to) };
  return { persons, list: null, spans: positionsOf(events, null, places, starts).spans };
}

const NONE = new Uint32Array(0);
