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
    const owner = { budget: new Budget(1_000), memory, isShared: () => false };
    const held = new HeldTables(new TestTables(1_000), owner);
    const dictionary = new GrowingDictionary();
    for (let n = 1; n <= 40; n++) {
      dictionary.code('string', `text ${n}`);
      const { passes, count } = held.of({ op: 'exists' }, dictionary, nothing);
      expect([passes[n], count], `${n} values`).to.deep.equal([1, n]);
    }
  });

  it('are made once for all segments that share a dictionary, and of others held for one segment', () => {
    let tested = 0;
    const Counting = class extends GrowingDictionary {
      override type(code: number): ValueType {
        tested++;
        return super.type(code);
      }
    };
    const [shared, own] = [new Counting(), new Counting()];
    for (const dictionary of [shared, own]) for (let n = 0; n < 100; n++) dictionary.code('string', `text ${n}`);
    using memory = new Hold();
    const budget = new Budget(100_000);
    const isShared = (key: string): boolean => key === shared.key;
    const held = new HeldTables(new TestTables(0), { budget, memory, isShared });
    const codesWith = (text: string): number[] => {
      const { passes } = held.of({ op: 'contains', text }, shared, nothing);
      return [...passes.keys()].filter((code) => passes[code] === 1);
    };
    for (let segment = 0; segment < 3; segment++) {
      for (const digit of [1, 2]) expect(codesWith(`${digit}0`)).to.deep.equal([digit * 10 + 1]);
      held.endSegment();
    }
    expect(tested).to.equal(200);
    const { held: before } = budget;
    held.of({ op: 'exists' }, own, nothing);
    expect(budget.held).to.be.above(before);
    held.endSegment();
    expect(budget.held).to.equal(before);
  });
});
