/** Expressions: numbers and operators stay, operands get their numbers. */
import type { FormulaNode } from '../plan/formula-node.ts';
import type { ExpressionNode } from '../parse/syntax.ts';

/** @param indexOf The number of an operand in the plan. */
export function bindExpression<Operand extends { readonly kind: 'operand' | 'field' }>(
  node: ExpressionNode<Operand>,
  indexOf: (operand: Operand) => number,
): FormulaNode {
  if (node.kind === 'number') return { kind: 'number', value: node.value };
  if (node.kind === 'negate') return { kind: 'negate', term: bindExpression(node.term, indexOf) };
  if (node.kind === 'binary') {
    const [left, right] = [bindExpression(node.left, indexOf), bindExpression(node.right, indexOf)];
    return { kind: 'binary', op: node.op, left, right };
  }
  return { kind: 'operand', index: indexOf(node) };
}
