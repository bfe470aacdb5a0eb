/** The start events of one segment. */
import type { Starts } from '../../persons/first-starts.ts';
import { selectEvents } from '../../persons/select-events.ts';
import { selectOrdered, selectPersons } from '../../persons/select-persons.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../contract.ts';
import type { RetentionOptions } from './retention-gathering.ts';

export function selectStarts(rows: EventRows, range: RowRange, options: RetentionOptions): Starts {
  const { starting, starts, labels, time, context } = options;
  if (!starts.ordered) {
    return { ...selectPersons(rows, { ...range, time }, starting, context), order: null, labels: null };
  }
  if (labels === null) {
    const { times, arrivals, ...persons } = selectOrdered(rows, { ...range, time }, starting, context);
    return { ...persons, order: { times, arrivals }, labels: null };
  }
  const positions = selectEvents(rows, range, starting, context);
  return {
    persons: rows.persons(),
    list: positions.rows,
    spans: positions.spans,
    order: { times: rows.times(), arrivals: rows.segment.arrivals() },
    labels: labels.of(rows, positions),
  };
}
