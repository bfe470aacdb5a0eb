/** The start events of one segment. */
import type { Starts } from '../persons/first-starts.ts';
import { selectEvents } from '../persons/select-events.ts';
import { selectPersons } from '../persons/select-persons.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { RowRange } from './contract.ts';
import type { RetentionOptions } from './retention-gathering.ts';

export function selectStarts(rows: EventRows, range: RowRange, options: RetentionOptions): Starts {
  const { starting, starts, labels, time, context } = options;
  if (starts.places === null) {
    return { ...selectPersons(rows, { ...range, time }, starting, context), rows: null, labels: null };
  }
  const positions = selectEvents(rows, range, starting, context);
  const persons = rows.persons();
  return { persons, list: positions.rows, spans: positions.spans, rows, labels: labels?.of(rows, positions) ?? null };
}
