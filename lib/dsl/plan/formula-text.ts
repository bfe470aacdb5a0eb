/** An expression as text, with all its parentheses. */
import type { FormulaNode } from './formula-node.ts';
import { numberText } from './value.ts';

export function formulaText(node: FormulaNode, operandText: (index: number) => string): string {
  switch (node.kind) {
    case 'number':
      return numberText(node.value);
    case 'operand':
      return operandText(node.index);
    case 'negate':
      return `-${formulaText(node.term, operandText)}`;
    case 'binary':
      return `(${formulaText(node.left, operandText)} ${node.op} ${formulaText(node.right, operandText)})`;
  }
}
