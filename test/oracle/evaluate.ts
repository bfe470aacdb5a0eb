/** Expressions of formulas and of arithmetic. */
import { unreachable } from '../../lib/base/unreachable.ts';
import type { FormulaNode } from '../../lib/dsl/plan/formula-node.ts';

/** null for a null operand, for a division by 0, and where a step is beyond the range of floats. */
export function evaluate(node: FormulaNode, operands: readonly (number | null)[]): number | null {
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
      const value = left === null || right === null ? null : calculate(node.op, left, right);
      return value !== null && Number.isFinite(value) ? value : null;
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
