import { expect } from 'chai';
import fc from 'fast-check';
import { Hold } from '../../../lib/primitives/columns.ts';
import { wordsAt } from '../../../lib/primitives/memory.ts';
import { Budget } from '../../../lib/workers/budget.ts';
import { DistinctPairs } from '../../../lib/workers/groups/distinct-pairs.ts';

const LIMITS = [3, 300, 0xffff, 0xffffffff];

describe('distinct pairs', () => {
  it('are in order, each once, however they come, and without those whose second part is 0', () => {
    const part = fc.constantFrom(...LIMITS).chain((max) => fc.integer({ min: 0, max }));
    const block = fc.array(fc.tuple(part, part), { maxLength: 3_000 });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), fc.boolean(), (blocks, byOne) => {
        const memory = new Hold();
        const budget = new Budget(2 ** 28);
        const distinct = new DistinctPairs({ memory, budget });
        for (const pairs of blocks) {
          const some = pairs.filter(([, second]) => second !== 0);
          if (byOne) for (const [first, second] of some) distinct.put(first, second);
          else distinct.add({ ...placed(pairs, memory), count: pairs.length });
        }
        const plain = new Set(blocks.flat().filter(([, second]) => second !== 0).map(([first, second]) => BigInt(first) * 2n ** 32n + BigInt(second))); // prettier-ignore
        const inOrder = [...plain].toSorted((a, b) => (a < b ? -1 : 1));
        const words = distinct.pairs();
        const found = Array.from({ length: words.length / 2 }, (_, k) => BigInt(words[2 * k + 1]!) * 2n ** 32n + BigInt(words[2 * k]!)); // prettier-ignore
        expect(found).to.deep.equal(inOrder);
        expect([...distinct.pairs()]).to.deep.equal([...words]);
        distinct.release();
        expect(budget.held).to.equal(0);
        memory[Symbol.dispose]();
      }),
      { numRuns: 100 },
    );
  });

  it('take room for twice as many as they are at most, whatever comes again', () => {
    const memory = new Hold();
    const budget = new Budget(2 ** 28);
    const distinct = new DistinctPairs({ memory, budget });
    const pairs = Array.from({ length: 4_000 }, (_, k): [number, number] => [k % 5, (k % 400) + 1]);
    const block = { ...placed(pairs, memory), count: pairs.length };
    for (let nth = 0; nth < 200; nth++) distinct.add(block);
    expect(distinct.pairs()).to.have.lengthOf(2 * 400);
    expect(budget.held).to.be.at.most(8 * 8_192);
    memory[Symbol.dispose]();
  });
});

function placed(pairs: readonly (readonly [number, number])[], memory: Hold) {
  const [firsts, seconds] = [memory.take(pairs.length * 4), memory.take(pairs.length * 4)];
  wordsAt(firsts, pairs.length).set(pairs.map(([first]) => first));
  wordsAt(seconds, pairs.length).set(pairs.map(([, second]) => second));
  return { firsts, seconds };
}
