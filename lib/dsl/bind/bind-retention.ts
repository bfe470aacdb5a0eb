/** `retention`: cohorts, their periods, and what the cells hold. */
import { basePlan, bindMetrics, DISTINCT_ID } from './bind-events.ts';
import { bindCohortGroups } from './bind-groups.ts';
import { failAt, type BindingScope } from './binding.ts';
import type { CellMetric, Metric, RetentionPlan } from '../plan/plan.ts';
import type { Source } from '../parse/syntax.ts';
import type { CohortUnit, Duration } from '../time/units.ts';

export const COHORT_RANGES: Readonly<Record<CohortUnit, Duration>> = {
  day: { count: 90, unit: 'd' },
  week: { count: 12, unit: 'w' },
  sunday_week: { count: 12, unit: 'w' },
  month: { count: 12, unit: 'mo' },
};

/** Bounds an answer's width. */
const MOST_PERIODS = 400;

export function bindRetention(binding: BindingScope, source: Source & { readonly kind: 'retention' }): RetentionPlan {
  const { stages } = binding;
  const { unit, fields } = bindCohortGroups(binding, stages.groups);
  const periods = stages.one('periods');
  if (periods !== null && periods.count > MOST_PERIODS) {
    failAt(binding, periods, `expected at most ${MOST_PERIODS} periods`);
  }
  return {
    kind: 'retention',
    ...basePlan(binding, COHORT_RANGES[unit]),
    event: source.event.name,
    first: source.first,
    returning: source.returning?.name ?? null,
    unit,
    groups: fields,
    periods: periods?.count ?? null,
    unbounded: stages.one('unbounded') !== null,
    metrics: bindCells(binding),
    cumulative: stages.one('cumulative') !== null,
  };
}

/** The metric of the cells, if they have one. */
function bindCells(binding: BindingScope): readonly CellMetric[] {
  const [stage, unbounded, cumulative] = [
    binding.stages.one('metrics'),
    binding.stages.one('unbounded'),
    binding.stages.one('cumulative'),
  ];
  if (stage === null) {
    if (cumulative !== null) {
      failAt(binding, cumulative, 'expected a metric too: `cumulative` adds one up over the periods', [
        '| sum event_properties.amount',
        '`unbounded` counts who came back in a period or later',
      ]);
    }
    return [];
  }
  if (unbounded !== null) {
    failAt(binding, unbounded, 'expected either `unbounded`, by which cells count people, or a metric');
  }
  const [node, second] = stage.metrics;
  if (second !== undefined) failAt(binding, second, 'expected only one metric: it is what the cells hold');
  const [metric] = bindMetrics(binding, 'events', DISTINCT_ID, []);
  if (metric === undefined || node === undefined) return [];
  if (node.alias !== null) failAt(binding, node.alias, 'expected no name: the columns of cells are their periods');
  if (!isOfCells(metric)) failAt(binding, node, 'expected `count`, `sum` or `avg` in the cells of `retention`');
  return [metric];
}

function isOfCells(metric: Metric): metric is CellMetric {
  return metric.kind === 'count' || metric.kind === 'sum' || metric.kind === 'avg';
}
