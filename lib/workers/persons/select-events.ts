/** The events of one segment that make up persons' histories. */
import { joinAnd } from '../../dsl/plan/conditions.ts';
import type { Condition, EventName } from '../../dsl/plan/plan.ts';
import { positionsOf, type Positions } from '../groups/positions.ts';
import { select } from '../groups/select.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sourceRows } from '../groups/source-rows.ts';
import { filterOf } from '../where/filter.ts';

export interface EventsWanted {
  readonly event: EventName;
  /** All must hold. */
  readonly where: readonly (Condition | null)[];
  /** First instants of the buckets into which rows are cut; null: one bucket. */
  readonly starts: Float64Array | null;
}

export function selectEvents(
  rows: EventRows,
  range: { readonly from: number; readonly to: number },
  { event, where, starts }: EventsWanted,
  context: QueryContext,
): Positions {
  const source = sourceRows(rows, range, { event, person: null }, context);
  if (source.from >= source.to) return { rows: null, spans: [] };
  const conditions = where.filter((condition) => condition !== null);
  const filter = filterOf(joinAnd(conditions), rows, context);
  return select(positionsOf(rows, source.list, source, starts), filter, context);
}
