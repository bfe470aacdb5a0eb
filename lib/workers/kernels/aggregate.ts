/** Metrics of events by groups. */
import type { AggregatePlan } from '../../dsl/plan/plan.ts';
import { Aggregation } from './aggregation.ts';
import { mergeMetrics, type MergedMetrics } from '../metrics/merge-metrics.ts';
import { countsTypes } from '../plan-parts.ts';
import type { QueryContext } from '../query-context.ts';
import { dictionaryOf } from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sourceRows } from '../groups/source-rows.ts';
import { filterOf } from '../where/filter.ts';
import type { Kernel, RowRange } from './contract.ts';
import { only } from './partial-result.ts';
import { groupTable } from './group-rows.ts';

interface State {
  readonly aggregation: Aggregation;
  readonly context: QueryContext;
}

export function aggregateKernel(plan: AggregatePlan): Kernel<State, MergedMetrics> {
  return {
    order: 'oldest',
    init: (context) => ({ aggregation: new Aggregation(plan.groups, plan.metrics, context), context }),
    consume({ aggregation, context }, rows, range) {
      aggregation.advance(rows.segment.first);
      if (countsTypes(plan) && isWhole(rows, range) && addTypes(aggregation, rows, context)) return;
      const source = sourceRows(rows, range, plan, context);
      if (source.from < source.to) aggregation.add({ rows, ...source, filter: filterOf(plan.where, rows, context) });
    },
    partial: ({ aggregation }) => ({ kind: 'groups', groups: [aggregation.partial()] }),
    merge: (partials, context) =>
      mergeMetrics(
        only('groups', partials).flatMap(({ groups }) => groups),
        plan.groups.length,
        plan.metrics,
        context,
      ),
    finish: (merged) => groupTable(plan, merged),
  };
}

function isWhole(rows: EventRows, { from, to }: RowRange): boolean {
  return from === 0 && to === rows.rows;
}

function addTypes(aggregation: Aggregation, rows: EventRows, context: QueryContext): boolean {
  return aggregation.addCounts(dictionaryOf(context.reader.eventTypes()), rows.segment.types);
}
