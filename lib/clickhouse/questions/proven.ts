/** What an answer shows already: that an event, or a field, occurs in the range. The notes need not look for it then. */
import { fieldKey } from '../../dsl/plan/fields.ts';
import type { AggregatePlan, Condition } from '../../dsl/plan/plan.ts';
import type { PlanUses } from '../../dsl/plan/plan-uses.ts';
import type { Cell } from '../../dsl/plan/table.ts';

/** Those of `uses` that the rows do not show. @param rows As ClickHouse found them: groups, then metrics. */
export function notProven(plan: AggregatePlan, uses: PlanUses, rows: readonly (readonly Cell[])[]): PlanUses {
  const { groups, metrics } = plan;
  const isShown = (column: number): boolean => rows.some((row) => row[column] !== null && row[column] !== 0);
  const shownMetrics = metrics.filter((_, nth) => isShown(groups.length + nth));
  // Each group has an event; without groups there is always a row.
  if (groups.length > 0 ? rows.length === 0 : shownMetrics.length === 0) return uses;
  const shown = [
    ...needed(plan.where),
    ...groups.flatMap((group, nth) => (group.kind === 'field' && isShown(nth) ? [fieldKey(group.field)] : [])),
    ...shownMetrics.flatMap((metric) => (metric.kind === 'count' ? [] : [fieldKey(metric.field)])),
  ];
  return { events: [], fields: uses.fields.filter((field) => !shown.includes(fieldKey(field))) };
}

/** Fields without which the condition holds of no row: a test of a missing value fails. */
function needed(condition: Condition | null): readonly string[] {
  switch (condition?.kind) {
    case 'test':
      return [fieldKey(condition.field)];
    case 'and':
      return condition.terms.flatMap(needed);
    case 'or': {
      const [first = [], ...others] = condition.terms.map(needed);
      return first.filter((name) => others.every((other) => other.includes(name)));
    }
    default:
      return [];
  }
}
