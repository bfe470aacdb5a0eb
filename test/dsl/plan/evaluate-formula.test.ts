import { expect } from 'chai';
import { evaluateFormula } from '../../../lib/dsl/plan/evaluate-formula.ts';
import type { FormulaNode } from '../../../lib/dsl/plan/formula-node.ts';

const operand = (index: number): FormulaNode => ({ kind: 'operand', index });
const number = (value: number): FormulaNode => ({ kind: 'number', value });
const binary = (op: '+' | '-' | '*' | '/', left: FormulaNode, right: FormulaNode): FormulaNode => ({
  kind: 'binary',
  op,
  left,
  right,
});

describe('evaluateFormula', () => {
  it('computes', () => {
    const product = binary('*', binary('-', operand(0), number(1)), { kind: 'negate', term: operand(1) });
    expect(evaluateFormula(product, [5, 3])).to.equal(-12);
    expect(evaluateFormula(binary('/', operand(0), binary('+', operand(1), number(1))), [5, 3])).to.equal(1.25);
  });

  it('is null with a null operand, a division by 0, or beyond what a number holds', () => {
    expect(evaluateFormula(binary('+', operand(0), operand(1)), [5, null])).to.equal(null);
    expect(evaluateFormula({ kind: 'negate', term: operand(0) }, [null])).to.equal(null);
    expect(evaluateFormula(binary('/', operand(0), operand(1)), [5, 0])).to.equal(null);
    expect(evaluateFormula(binary('/', operand(0), operand(1)), [0, 0])).to.equal(null);
    expect(evaluateFormula(binary('*', number(1e300), number(1e300)), [])).to.equal(null);
  });
});
