import { expect } from 'chai';
import { Hold } from '../../../lib/primitives/columns.ts';
import { GrowingDictionary, type ValueType } from '../../../lib/workers/rows/field-column.ts';
import { Budget } from '../../../lib/workers/budget.ts';
import { HeldTables, TestTables } from '../../../lib/workers/where/test-tables.ts';

const nothing = (): void => undefined;

/** What the table of a dictionary without values takes. */
function bytesOfOne(dictionary: GrowingDictionary): number {
  const tables = new TestTables(2 ** 20);
  tables.of({ op: 'exists' }, dictionary, nothing);
  return tables.bytes;
}

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
    const entry = bytesOfOne(new GrowingDictionary());
    const tables = new TestTables(200 * entry);
    const dictionary = new GrowingDictionary();
    for (let n = 0; n < 100; n++) dictionary.code('string', `text ${n}`);
    const { passes } = tables.of({ op: 'exists' }, dictionary, nothing);
    const { bytes } = tables;
    expect(bytes).to.be.at.least(passes.length);
    for (let n = 0; n < 50; n++) tables.of({ op: 'exists' }, new GrowingDictionary(), nothing);
    expect(tables.bytes).to.be.at.least(bytes + 50 * (entry - 10));
    for (let n = 0; n < 1_000; n++) tables.of({ op: 'exists' }, new GrowingDictionary(), nothing);
    expect(tables.bytes).to.be.at.most(200 * entry);
  });

  it('count the tests themselves, which may be far longer than their tables', () => {
    const texts = Array.from({ length: 20 }, (_, n) => `${n} ${'x'.repeat(10_000)}`);
    let tested = 0;
    const dictionary = new (class extends GrowingDictionary {
      override type(code: number): ValueType {
        tested++;
        return super.type(code);
      }
    })();
    dictionary.code('string', 'a');
    const tables = new TestTables(100_000);
    const ask = (text: string): unknown => tables.of({ op: 'contains', text }, dictionary, nothing);
    for (const text of texts) ask(text);
    expect(tables.bytes).to.be.within(texts[0]!.length, 100_000);
    tested = 0;
    ask(texts.at(-1)!);
    expect(tested, 'kept').to.equal(0);
    ask(texts[0]!);
    expect(tested, 'had to go').to.equal(1);
  });

  it('know values that came while they were held, though they had room for them before', () => {
    using memory = new Hold();
    const held = new HeldTables(new TestTables(1_000), { budget: new Budget(3_000), memory });
    const dictionary = new GrowingDictionary();
    for (let n = 1; n <= 40; n++) {
      dictionary.code('string', `text ${n}`);
      const { passes, count } = held.of({ op: 'exists' }, dictionary, nothing);
      expect([passes[n], count], `${n} values`).to.deep.equal([1, n]);
    }
  });

  it('are made once for all segments that ask for them, and let go of by the first that does not', () => {
    let tested = 0;
    const dictionary = new (class extends GrowingDictionary {
      override type(code: number): ValueType {
        tested++;
        return super.type(code);
      }
    })();
    for (let n = 0; n < 100; n++) dictionary.code('string', `text ${n}`);
    using memory = new Hold();
    const budget = new Budget(100_000);
    const held = new HeldTables(new TestTables(0), { budget, memory });
    const segment = (texts: readonly string[]): void => {
      for (const text of texts) held.of({ op: 'contains', text }, dictionary, nothing);
      held.turn();
    };
    for (let nth = 0; nth < 3; nth++) segment(['1', '2']);
    expect(tested).to.equal(200);
    const both = budget.held;
    segment(['1']);
    expect(budget.held).to.equal(both / 2);
  });
});
