import { expect } from 'chai';
import { ROWS_BETWEEN_CHECKS, blocksOf } from '../../../lib/workers/groups/select.ts';

describe('blocks of a span', () => {
  for (const length of [
    0,
    1,
    ROWS_BETWEEN_CHECKS - 1,
    ROWS_BETWEEN_CHECKS,
    ROWS_BETWEEN_CHECKS + 1,
    3 * ROWS_BETWEEN_CHECKS,
  ]) {
    it(`lie end to end over all of it, and none is longer than a block: ${length} rows`, () => {
      const blocks = blocksOf(7, 7 + length);
      const ends = [7, ...blocks.map(({ to }) => to)];
      expect(blocks.map(({ from }) => from)).to.deep.equal(ends.slice(0, -1));
      expect(ends.at(-1)).to.equal(7 + length);
      for (const { from, to } of blocks) expect(to - from).to.be.at.most(ROWS_BETWEEN_CHECKS);
    });
  }
});
