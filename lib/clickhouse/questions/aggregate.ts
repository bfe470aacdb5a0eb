/** What is asked about events, grouped or not: metrics, expressions over them, and which events there are. */
import type { AggregatePlan, FormulaPlan, InspectPlan } from '../../dsl/plan/plan.ts';
import { groupedQuestion, metricsOf, type Question } from '../sql/groups.ts';
import { EventRows, namesOf } from '../sql/rows.ts';
import { evaluateFormula } from '../../dsl/plan/evaluate-formula.ts';
import { metricColumns } from '../sql/metrics.ts';
import { filledColumn } from '../sql/values.ts';
import { MAPS } from '../sql/properties.ts';
import { sql, type Tenant, numberCell, textCell } from '../sql/statement.ts';

/** Metrics over events, grouped. */
export function aggregateQuestion(project: Tenant, plan: AggregatePlan): Question {
  const { range, event, where, person } = plan;
  const rows = new EventRows(project, plan, { range, events: namesOf([event]), where, person });
  return groupedQuestion(rows, plan, metricsOf(plan.metrics, rows));
}

/** An expression over metrics of events. */
export function formulaQuestion(project: Tenant, plan: FormulaPlan): Question {
  const { range, where, bucket, operands, expression } = plan;
  const events = namesOf(operands.map(({ event }) => event));
  const rows = new EventRows(project, plan, { range, events, where });
  const type = filledColumn(rows.type);
  const metrics = operands.map(({ event, metric }) =>
    metricColumns(metric, rows, event === null ? null : type.isText([event])),
  );
  const { sql, readRows } = groupedQuestion(rows, { ...plan, groups: bucket === null ? [] : [bucket] }, metrics);
  return {
    sql,
    readRows: (found) =>
      readRows(found).map((row) => {
        const values = row.slice(-operands.length).map((cell) => (typeof cell === 'number' ? cell : null));
        return [...row, evaluateFormula(expression, values)];
      }),
  };
}

/** `inspect *`: the events there are. */
export function inspectQuestion(project: Tenant, plan: InspectPlan): Question {
  const rows = new EventRows(project, plan, { ...plan, events: null });
  const person = rows.personKey;
  return {
    sql: sql`SELECT event_type, count(), uniqExactIf(${person}, ${person} != 0), min(time), max(time), length(groupUniqArrayArray(mapKeys(${MAPS.event.texts}))) ${rows.from()} GROUP BY event_type`,
    readRows: (found) => found.map(([type, ...measured]) => [textCell(type), ...measured.map(numberCell)]),
  };
}
