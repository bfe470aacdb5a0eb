/** How the starts and returns of a part are gathered. */
import type { TimeRange } from '../../../dsl/time/units.ts';
import type { FirstStarts, Starts } from '../../persons/first-starts.ts';
import { PersonMasks, type MaskArray } from '../../persons/person-masks.ts';
import { selectEvents, selectOrdered, selectPersons, type EventsWanted } from '../../persons/select-events.ts';
import type { StartLabels } from '../../persons/start-labels.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../contract.ts';

/** What is gathered for one part. */
export interface Gathering {
  consume(rows: EventRows, range: RowRange): void;
  /** By word and person: in which buckets they were present. */
  seen(): readonly MaskArray[];
}

export interface RetentionOptions {
  readonly starting: EventsWanted;
  readonly returning: EventsWanted;
  /** First instants. */
  readonly buckets: Float64Array;
  readonly starts: FirstStarts;
  readonly labels: StartLabels | null;
  readonly time: TimeRange;
  readonly context: QueryContext;
}

/** The start events of one segment. */
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
    ...positions,
    persons: rows.persons(),
    order: { times: rows.times(), arrivals: rows.segment.arrivals() },
    labels: labels.of(rows, positions),
  };
}

/** For few buckets if starts are returns: a person's buckets are bits, with segments and parts in any order. */
export function gatherMasks(options: RetentionOptions): Gathering {
  const { starting, returning, buckets, starts, time, context } = options;
  const masks = new PersonMasks(context.identity().size, buckets.length, context);
  return {
    consume(rows, range) {
      const begun = selectStarts(rows, range, options);
      starts.add(begun);
      const same = starting.event === returning.event;
      masks.add(same ? begun : selectPersons(rows, { ...range, time }, returning, context));
    },
    seen: () => masks.words(),
  };
}
