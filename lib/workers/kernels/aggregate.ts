/** Metrics of events by groups. */
import type { AggregatePlan } from '../../dsl/plan/plan.ts';
import { aggregationOf, mergeAggregations, type Aggregation } from './aggregation.ts';
import { countsTypes } from '../plan-parts.ts';
import type { QueryContext } from '../query-context.ts';
import { dictionaryOf } from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sourceRows } from '../groups/source-rows.ts';
import { ALL, filterOf } from '../where/filter.ts';
import type { Kernel } from './contract.ts';
import { onlyKind } from './partial-result.ts';
import { groupedPeople, groupLimits, groupTable } from './group-rows.ts';

export function aggregateKernel(plan: AggregatePlan): Kernel {
  return {
    order: 'oldest',
    start(given) {
      const context = groupLimits(plan, given);
      const aggregation = aggregationOf(plan, context);
      return {
        consume(rows, range) {
          aggregation.advance(rows.segment.first);
          const source = sourceRows(rows, range, plan, context);
          if (source.from >= source.to) return;
          const filter = filterOf(plan.where, rows, context);
          const isWhole = filter === ALL && range.from === 0 && range.to === rows.rows;
          if (isWhole && countsTypes(plan) && addTypes(aggregation, rows, context)) return;
          aggregation.add({ rows, ...source, filter });
        },
        partial: () => ({ kind: 'groups', groups: [aggregation.partial()] }),
      };
    },
    answer(partials, given) {
      const context = groupLimits(plan, given);
      const parts = onlyKind('groups', partials).flatMap(({ groups }) => groups);
      const merged = mergeAggregations(plan, parts, context);
      return plan.people === undefined
        ? groupTable(plan, merged, context)
        : groupedPeople(plan, merged, parts, context);
    },
  };
}

function addTypes(aggregation: Aggregation, rows: EventRows, context: QueryContext): boolean {
  return aggregation.addCounts(dictionaryOf(context.reader.eventTypes()), rows.segment.types);
}
