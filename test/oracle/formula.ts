/** `formula`: an expression over metrics of events. */
import type { FormulaNode, FormulaPlan } from '../../lib/dsl/plan/plan.ts';
import type { TableColumn } from '../../lib/dsl/plan/table.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { eventRow, type EventRow } from './events.ts';
import { tabulate, type Measures } from './groups.ts';
import { measureNumber, metricColumn } from './metrics.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { column, type Sheet } from './table.ts';

export function answerFormula(scope: Scope, plan: FormulaPlan): Sheet {
  const rows = selectEvents(scope, plan).map((event) => eventRow(scope, event));
  const groups = plan.bucket === null ? [] : [plan.bucket];
  return tabulate(rows, groups, formulaMeasures(plan), { scope, fill: true });
}

function formulaMeasures(plan: FormulaPlan): Measures<EventRow> {
  const operands = plan.operands.map(({ metric }): TableColumn => metricColumn(metric));
  return {
    columns: [...operands, column('value', 'number', 'metric')],
    measure: (rows) => {
      const values = plan.operands.map(({ event, metric }) => {
        const own = rows.filter((row) => isNamed(row.event, event));
        if (metric.kind === 'mode') throw new Error('a formula has no operand of text');
        return measureNumber(
          metric,
          own.map((row) => row.read),
        );
      });
      return [...values, evaluate(plan.expression, values)];
    },
  };
}

/** null for a null operand and for a division by 0. */
function evaluate(node: FormulaNode, operands: readonly (number | null)[]): number | null {
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'operand':
      return operands[node.index] ?? null;
    case 'negate': {
      const term = evaluate(node.term, operands);
      return term === null ? null : -term;
    }
    case 'binary': {
      const left = evaluate(node.left, operands);
      const right = evaluate(node.right, operands);
      return left === null || right === null ? null : calculate(node.op, left, right);
    }
    default:
      return unreachable(node);
  }
}

function calculate(op: '+' | '-' | '*' | '/', left: number, right: number): number | null {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? null : left / right;
    default:
      return unreachable(op);
  }
}
