/** Metrics of events by groups. */
import type { AggregatePlan } from '../../dsl/plan/plan.ts';
import { Aggregation } from './aggregation.ts';
import { mergeMetrics } from '../metrics/merge-metrics.ts';
import { countsTypes } from '../plan-parts.ts';
import type { QueryContext } from '../query-context.ts';
import { dictionaryOf } from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sourceRows } from '../groups/source-rows.ts';
import { filterOf } from '../where/filter.ts';
import type { Kernel } from './contract.ts';
import { only } from './partial-result.ts';
import { groupTable } from './group-rows.ts';

export function aggregateKernel(plan: AggregatePlan): Kernel {
  return {
    order: 'oldest',
    start(context) {
      const aggregation = new Aggregation(plan.groups, plan.metrics, context);
      return {
        consume(rows, range) {
          aggregation.advance(rows.segment.first);
          const isWhole = range.from === 0 && range.to === rows.rows;
          if (isWhole && countsTypes(plan) && addTypes(aggregation, rows, context)) return;
          const source = sourceRows(rows, range, plan, context);
          if (source.from < source.to)
            aggregation.add({ rows, ...source, filter: filterOf(plan.where, rows, context) });
        },
        partial: () => ({ kind: 'groups', groups: [aggregation.partial()] }),
      };
    },
    answer(partials, context) {
      const parts = only('groups', partials).flatMap(({ groups }) => groups);
      return groupTable(plan, mergeMetrics(parts, plan.groups.length, plan.metrics, context));
    },
  };
}

function addTypes(aggregation: Aggregation, rows: EventRows, context: QueryContext): boolean {
  return aggregation.addCounts(dictionaryOf(context.reader.eventTypes()), rows.segment.types);
}
