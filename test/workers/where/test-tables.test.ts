import { expect } from 'chai';
import { GrowingDictionary } from '../../../lib/workers/rows/field-column.ts';
import { Budget } from '../../../lib/workers/budget.ts';
import { HeldTables } from '../../../lib/workers/where/held-tables.ts';
import { TestTables } from '../../../lib/workers/where/test-tables.ts';

const nothing = (): void => undefined;

describe('tables of what a test takes', () => {
  it('know code 0, missing, of a dictionary without values: primitives read a table wherever a code leads', () => {
    const dictionary = new GrowingDictionary();
    const tables = new TestTables(0);
    expect([...tables.of({ op: 'exists' }, dictionary, nothing).passes]).to.deep.equal([0]);
    dictionary.code('string', 'a');
    const { passes, count } = tables.of({ op: 'exists' }, dictionary, nothing);
    expect([[...passes.subarray(0, 2)], count]).to.deep.equal([[0, 1], 1]);
  });

  it('count the bytes that they keep', () => {
    const tables = new TestTables(1_000);
    const dictionary = new GrowingDictionary();
    for (let n = 0; n < 100; n++) dictionary.code('string', `text ${n}`);
    const { passes } = tables.of({ op: 'exists' }, dictionary, nothing);
    expect(tables.bytes).to.equal(passes.length);
    for (let n = 0; n < 50; n++) tables.of({ op: 'exists' }, new GrowingDictionary(), nothing);
    expect(tables.bytes).to.equal(passes.length + 50);
    for (let n = 0; n < 1_000; n++) tables.of({ op: 'exists' }, new GrowingDictionary(), nothing);
    expect(tables.bytes).to.be.at.most(1_000);
  });

  it('know values that came while they were held, though they had room for them before', () => {
    const held = new HeldTables(new TestTables(1_000), new Budget(1_000));
    const dictionary = new GrowingDictionary();
    for (let n = 1; n <= 40; n++) {
      dictionary.code('string', `text ${n}`);
      const { passes, count } = held.of({ op: 'exists' }, dictionary, nothing);
      expect([passes[n], count], `${n} values`).to.deep.equal([1, n]);
    }
  });
});
