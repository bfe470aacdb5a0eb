import { expect } from 'chai';
import type { FormulaNode } from '../../lib/dsl/plan/formula-node.ts';
import { expectError, planAs } from './queries.ts';

/** The expression with all its brackets and its operands as written. */
function shape(query: string): string {
  const plan = planAs('formula', `formula ${query}`);
  const print = (node: FormulaNode): string => {
    switch (node.kind) {
      case 'number':
        return String(node.value);
      case 'operand':
        return plan.operands[node.index]?.metric.column ?? '?';
      case 'negate':
        return `-${print(node.term)}`;
      case 'binary':
        return `(${print(node.left)} ${node.op} ${print(node.right)})`;
    }
  };
  return print(plan.expression);
}

describe('formula', () => {
  it('binds * and / tighter than + and -, from left to right', () => {
    expect(shape('count(a) + count(b) * 2 - count(c) / 4 / 5')).to.equal(
      '((count(a) + (count(b) * 2)) - ((count(c) / 4) / 5))',
    );
    expect(shape('(count(a) + 1) * (2 - 3)')).to.equal('((count(a) + 1) * (2 - 3))');
    expect(shape('-count(a) * -2')).to.equal('(-count(a) * -2)');
    expect(shape('--1')).to.equal('--1');
    expect(shape('1-1')).to.equal('(1 - 1)');
    expect(shape('count(a)-count(b)')).to.equal('(count(a) - count(b))');
  });

  it('has operands of every metric', () => {
    const plan = planAs(
      'formula',
      'formula count(*) + unique("a b") + unique(a, user_id) + sum(a, event_properties.x) + p90(a, event_properties."y z")',
    );
    expect(plan.operands.map(({ event, metric }) => [event, metric.kind, metric.column])).to.deep.equal([
      [null, 'count', 'count(*)'],
      ['a b', 'unique', 'unique("a b")'],
      ['a', 'unique', 'unique(a, user_id)'],
      ['a', 'sum', 'sum(a, event_properties.x)'],
      ['a', 'percentile', 'p90(a, event_properties."y z")'],
    ]);
    for (const metric of ['avg', 'min', 'max', 'median', 'p1', 'p99']) {
      expect(shape(`${metric}(a-b/c, user.x)`)).to.equal(`${metric}(a-b/c, user.x)`);
    }
  });

  it('has one column for equal operands, as first written', () => {
    const plan = planAs('formula', 'formula COUNT( a ) / (count(a) + unique(a) + unique(a, distinct_id))');
    expect(plan.operands.map(({ metric }) => metric.column)).to.deep.equal(['COUNT( a )', 'unique(a)']);
    expect(planAs('formula', 'formula median(a, user.x) - p50(a, user.x)').operands).to.have.length(2);
  });

  it('may have no operand at all', () => {
    expect(planAs('formula', 'formula 1.5e2').operands).to.deep.equal([]);
  });

  it('points at what does not fit', () => {
    expectError('formula▲', 'expected a number, `(`, or an operand');
    expectError('formula ▲| by day', 'expected a number');
    expectError('formula count(a) +▲', 'expected a number');
    expectError('formula ▲+ count(a)', 'expected a number');
    expectError('formula ▲cuont(a)', 'did you mean `count`?');
    expectError('formula ▲a', 'expected a number');
    expectError('formula ▲p0(a, time)', 'p1 to p99');
    expectError('formula count▲', 'expected `(`');
    expectError('formula count(▲)', 'expected an event');
    expectError('formula count(▲count)', '"count"');
    expectError('formula count(a▲', 'expected `)`');
    expectError('formula count(a▲, time)', 'expected `)`');
    expectError('formula unique(a ▲time)', 'expected `,` and a field, or `)`');
    expectError('formula sum(a▲)', 'sum(event, field)');
    expectError('formula sum(a, ▲)', 'expected a field');
    expectError('formula (count(a)▲', 'expected an operator or `)`');
    expectError('formula count(a) ▲count(b)', '`+`, `-`, `*` or `/` stands between operands');
    expectError('formula ▲2x', 'expected a number');
    expectError('formula ▲"a"', 'expected a number');
    expectError('formula 1▲.', 'write digits before and after the point: 0.5');
    expectError('formula ▲.5 * count(a)', 'write digits before and after the point: 0.5');
    expectError('formula count(a) ▲% 2', 'a formula has numbers, parentheses');
    expectError('formula count(a▲%)', 'names with such characters in quotes');
  });

  it('bounds its depth and its operands', () => {
    expectError(`formula ${'('.repeat(65)}▲1`, 'at most 64 levels of nested brackets');
    expectError(`formula ${'-'.repeat(65)}▲1`, 'at most 64 levels of nested brackets');
    const sum = Array.from({ length: 128 }, () => '1').join('+');
    expect(planAs('formula', `formula ${sum}`).operands).to.deep.equal([]);
    expectError(`formula ${sum}+▲1`, 'at most 128');
  });
});
