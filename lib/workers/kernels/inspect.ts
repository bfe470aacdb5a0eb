/** `inspect *`: every event with its people, first and last time, and how many property keys it has. Runs in one part. */
import { columnsOf } from '../../dsl/columns.ts';
import { finishTable } from '../../dsl/finish.ts';
import type { Field, Group, InspectPlan, Metric } from '../../dsl/plan.ts';
import type { Table } from '../../dsl/table.ts';
import { Aggregation } from '../groups/aggregation.ts';
import { positionsOf } from '../groups/positions.ts';
import { select } from '../groups/select.ts';
import { mergeMetrics } from '../metrics/merge-metrics.ts';
import type { QueryContext } from '../query-context.ts';
import { filterOf } from '../where/filter.ts';
import { onlyTable, type Kernel } from './contract.ts';
import { metricCell } from './group-rows.ts';
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

export function inspectKernel(plan: InspectPlan): Kernel<State, Table> {
  return {
    order: 'oldest',
    init: (context) => ({
      context,
      aggregation: new Aggregation(GROUPS, METRICS, context),
      keys: new PropertyKeys(context.budget),
    }),
    consume({ context, aggregation, keys }, rows, range) {
      const filter = filterOf(plan.where, rows, context);
      aggregation.add({ rows, list: null, ...range, filter });
      keys.add(rows.segment, select(positionsOf(rows, null, range, null), filter, context), context);
    },
    partial({ context, aggregation, keys }) {
      const types = context.reader.eventTypes();
      const { groups, values } = mergeMetrics([aggregation.partial()], 1, METRICS, context);
      const rows = Array.from({ length: groups.count }, (_, group) => {
        const name = groups.text(0, group) ?? '';
        return [name, ...values.map((metric) => metricCell(metric, group)), keys.count(types.find(name))];
      });
      return { kind: 'table', table: finishTable(plan, columnsOf(plan), rows) };
    },
    merge: onlyTable,
    finish: (table) => table,
  };
}
