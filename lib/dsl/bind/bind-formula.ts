/** `formula count(a) / count(b)`: the distinct operands, each with the text it was first written with. */
import { basePlan, DISTINCT_ID, makeMetric, metricField } from './bind-events.ts';
import { bindOneBucket } from './bind-groups.ts';
import type { Binding } from './binding.ts';
import type { FormulaNode, FormulaPlan, Plan } from '../plan/plan.ts';
import type { ExpressionNode } from '../parse/syntax.ts';

type Operand = FormulaPlan['operands'][number];

export function bindFormula(binding: Binding, expression: ExpressionNode): Plan {
  const operands: Operand[] = [];
  const bound = bindExpression(binding, expression, operands);
  const base = basePlan(binding, { count: 7, unit: 'd' });
  const bucket = bindOneBucket(binding, binding.stages.groups);
  return { kind: 'formula', ...base, bucket, operands, expression: bound };
}

function bindExpression(binding: Binding, node: ExpressionNode, operands: Operand[]): FormulaNode {
  switch (node.kind) {
    case 'number':
      return node;
    case 'negate':
      return { kind: 'negate', term: bindExpression(binding, node.term, operands) };
    case 'binary':
      return {
        kind: 'binary',
        op: node.op,
        left: bindExpression(binding, node.left, operands),
        right: bindExpression(binding, node.right, operands),
      };
    case 'operand': {
      const field = metricField(binding, node.metric, 'events', DISTINCT_ID);
      const operand = { event: node.event.name, metric: makeMetric(node.metric, field, node.text) };
      return { kind: 'operand', index: indexOf(operand, operands) };
    }
  }
}

/** Equal operands are one column. */
function indexOf(operand: Operand, operands: Operand[]): number {
  const identity = identityOf(operand);
  const index = operands.findIndex((other) => identityOf(other) === identity);
  return index !== -1 ? index : operands.push(operand) - 1;
}

/** Everything but the column. A median differs from p50 because it is written differently. */
function identityOf({ event, metric }: Operand): string {
  const [word = ''] = metric.column.split('(', 1);
  return JSON.stringify([event, word.trim().toLowerCase(), { ...metric, column: null }]);
}
