/** The value of a formula. */
import { unreachable } from '../../base/unreachable.ts';
import type { FormulaNode } from './formula-node.ts';
import { roundComputed } from './value.ts';

/** The value as it is printed, of the operands' values. A null operand, division by 0 and overflow give null. */
export function evaluateFormula(node: FormulaNode, operands: readonly (number | null)[]): number | null {
  const value = evaluate(node, operands);
  return value === null ? null : roundComputed(value);
}

function evaluate(node: FormulaNode, operands: readonly (number | null)[]): number | null {
  switch (node.kind) {
    case 'number':
      return finite(node.value);
    case 'operand':
      return operands[node.index] ?? null;
    case 'negate': {
      const term = evaluate(node.term, operands);
      return term === null ? null : 0 - term; // 0 stays 0, not -0
    }
    case 'binary': {
      const left = evaluate(node.left, operands);
      const right = evaluate(node.right, operands);
      return left === null || right === null ? null : finite(OPERATIONS[node.op](left, right));
    }
    default:
      return unreachable(node);
  }
}

const OPERATIONS: Readonly<Record<'+' | '-' | '*' | '/', (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
