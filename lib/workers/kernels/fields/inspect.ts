/** `inspect *`: every event with its users, first and last time, and how many property keys it has. Runs in one part. */
import type { Field, Group, InspectPlan, Metric } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { Aggregation } from '../aggregation.ts';
import type { GroupsPartial } from '../../metrics/metric-partial.ts';
import { positionsOf } from '../../groups/positions.ts';
import { select } from '../../groups/select.ts';
import type { MergedGroups } from '../../metrics/merge-groups.ts';
import { mergeMetrics } from '../../metrics/merge-metrics.ts';
import type { QueryContext } from '../../query-context.ts';
import { filterOf } from '../../where/filter.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { groupRows, pagedTable } from '../group-rows.ts';
import { PropertyKeys } from './property-keys.ts';

interface State {
  readonly context: QueryContext;
  readonly aggregation: Aggregation;
  readonly keys: PropertyKeys;
}

const core = (name: 'event_type' | 'distinct_id' | 'time'): Field => ({ kind: 'core', name });
const GROUPS: readonly Group[] = [{ kind: 'field', field: core('event_type'), column: 'event_type' }];
const METRICS: readonly Metric[] = [
  { kind: 'count', column: 'count' },
  { kind: 'unique', field: core('distinct_id'), column: 'users' },
  { kind: 'min', field: core('time'), column: 'first_seen' },
  { kind: 'max', field: core('time'), column: 'last_seen' },
];

/** By group: the code of its event type. */
function codesOf({ keys: [types] }: GroupsPartial, { count, places: [places] }: MergedGroups): Uint32Array {
  const codes = new Uint32Array(count);
  if (count === 0) return codes;
  if (!types?.dictionary || places === undefined) throw new Error('event types have no codes');
  const { ids, dictionary } = types;
  places.forEach((group, i) => (codes[group] = ids[i] === 0 ? 0 : dictionary.codes[ids[i]! - 1]!));
  return codes;
}

export function inspectKernel(plan: InspectPlan): Kernel<State, Table> {
  return tableKernel({
    order: 'oldest',
    init: (context): State => ({
      context,
      aggregation: new Aggregation(GROUPS, METRICS, context),
      keys: new PropertyKeys(context.budget),
    }),
    consume({ context, aggregation, keys }, rows, range) {
      const filter = filterOf(plan.where, rows, context);
      aggregation.add({ rows, list: null, ...range, filter });
      keys.add(rows.segment, select(positionsOf(rows, null, range, null), filter, context), context);
    },
    table({ context, aggregation, keys }) {
      const part = aggregation.partial();
      const merged = mergeMetrics([part], 1, METRICS, context);
      const codes = codesOf(part, merged.groups);
      const rowsOf = (only: Uint32Array | null): Cell[][] =>
        groupRows(merged, 1, only).map((row, i) => [...row, keys.count(codes[only === null ? i : only[i]!]!)]);
      return pagedTable(plan, GROUPS, merged, rowsOf);
    },
  });
}
