/** An expression over metrics of events. */
import type { FormulaPlan } from '../../dsl/plan/plan.ts';
import { evaluateFormula } from '../../dsl/plan/evaluate-formula.ts';
import { groupedQuestion, type Question } from './groups.ts';
import { metricColumns } from './metrics.ts';
import { EventRows, namesOf } from './rows.ts';
import { filledColumn } from './values.ts';
import type { Tenant } from './tenant.ts';

export function formulaQuestion(project: Tenant, plan: FormulaPlan): Question {
  const { range, where, bucket, operands, expression } = plan;
  const events = namesOf(operands.map(({ event }) => event));
  const rows = new EventRows(project, plan, { range, events, where });
  const type = filledColumn(rows.type);
  const metrics = operands.map(({ event, metric }) =>
    metricColumns(metric, rows, event === null ? null : type.isText([event])),
  );
  const { sql, readRow } = groupedQuestion(rows, { ...plan, groups: bucket === null ? [] : [bucket] }, metrics);
  return {
    sql,
    readRow: (cells) => {
      const row = readRow(cells);
      const values = row.slice(-operands.length).map((cell) => (typeof cell === 'number' ? cell : null));
      return [...row, evaluateFormula(expression, values)];
    },
  };
}
