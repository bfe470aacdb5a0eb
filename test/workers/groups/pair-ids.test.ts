import { expect } from 'chai';
import fc from 'fast-check';
import { Hold } from '../../../lib/primitives/columns.ts';
import { wordsAt } from '../../../lib/primitives/memory.ts';
import { Budget } from '../../../lib/workers/budget.ts';
import { PairIds } from '../../../lib/workers/groups/pair-ids.ts';

describe('ids of pairs', () => {
  it('are numbers in the order in which pairs appear, through any growth', () => {
    const block = fc.record({
      length: fc.nat(3_000),
      seed: fc.nat(0xffff),
      kinds: fc.integer({ min: 1, max: 5_000 }),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 5 }), (blocks) => {
        const memory = new Hold();
        const budget = new Budget(2 ** 28);
        const table = new PairIds({ memory, budget });
        const known = new Map<string, number>();
        for (const { length, seed, kinds } of blocks) {
          const [firsts, seconds] = [memory.take(length * 4), memory.take(length * 4)];
          const noise = (of: number): Uint32Array =>
            wordsAt(of, length).map((_, i) => ((Math.imul(i + seed, 2_654_435_761) >>> 5) % kinds) % 1_000);
          const [left, right] = [noise(firsts), noise(seconds).map((word) => word >>> 2)];
          wordsAt(firsts, length).set(left);
          wordsAt(seconds, length).set(right);
          const plain = Array.from(left, (first, i) => {
            const pair = `${first} ${right[i]!}`;
            if (!known.has(pair)) known.set(pair, known.size);
            return known.get(pair)!;
          });
          table.addAll({ firsts, seconds, count: length }, firsts);
          expect([...wordsAt(firsts, length)]).to.deep.equal(plain);
        }
        expect(table.size).to.equal(known.size);
        for (const [pair, id] of known) {
          expect(`${table.first(id)} ${table.second(id)}`).to.equal(pair);
          expect(table.id(table.first(id), table.second(id))).to.equal(id);
        }
        expect(table.id(9_999, 1)).to.equal(known.size);
        table.release();
        expect(budget.held).to.equal(0);
        memory[Symbol.dispose]();
      }),
      { numRuns: 60 },
    );
  });
});
