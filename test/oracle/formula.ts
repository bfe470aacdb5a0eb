/** `formula`: an expression over metrics of events. */
import type { FormulaPlan } from '../../lib/dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import { evaluate } from './evaluate.ts';
import { eventRow, type EventRow } from './events.ts';
import { tabulate, type Measures } from './groups.ts';
import { measureNumber, metricColumn, printed } from './metrics.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { column, type Sheet } from './table.ts';

export function answerFormula(scope: Scope, plan: FormulaPlan): Sheet {
  const rows = selectEvents(scope, plan)
    .filter((event) => plan.operands.some((operand) => isNamed(event, operand.event)))
    .map((event) => eventRow(scope, event));
  return tabulate(rows, plan.groups, formulaMeasures(plan), { scope, fill: true, rolling: plan.rolling });
}

function formulaMeasures(plan: FormulaPlan): Measures<EventRow> {
  const operands = plan.operands.map(({ metric }): TableColumn => metricColumn(metric));
  return {
    columns: [...operands, column('value', 'number', 'metric')],
    measure: (rows) => measureEach(plan.operands.map(() => rows)),
    measureEach,
  };

  function measureEach(rows: readonly (readonly EventRow[])[]): readonly Cell[] {
    const values = plan.operands.map(({ event, metric }, index) => {
      const own = (rows[index] ?? []).filter((row) => isNamed(row.event, event));
      if (metric.kind === 'mode') throw new Error('a formula has no operand of text');
      return measureNumber(
        metric,
        own.map((row) => row.read),
      );
    });
    return [...values, printed(evaluate(plan.expression, values))];
  }
}
