/** How the starts and returns of a part are gathered. */
import type { TimeRange } from '../../../dsl/time/units.ts';
import type { FirstStarts } from '../../persons/first-starts.ts';
import type { MaskArray } from '../../persons/person-masks.ts';
import type { EventsWanted } from '../../persons/select-events.ts';
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
