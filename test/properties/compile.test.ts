import { expect } from 'chai';
import fc from 'fast-check';
import { answer } from '../oracle/answer.ts';
import { compile } from '../support/compile.ts';
import { runs, replay } from './settings.ts';
import { query } from './queries.ts';
import { NOW, world } from './worlds.ts';

describe('random right queries', () => {
  const context = { now: NOW, timezone: null, limit: 100, offset: 0 };

  it('compile, and the oracle answers them with columns as wide as rows', function () {
    this.timeout(600_000);
    fc.assert(
      fc.property(query, world, (text, requests) => {
        const { columns, rows, total } = answer(compile(text, context, requests).bound, requests);
        for (const row of rows) expect(row).to.have.lengthOf(columns.length);
        expect(total).to.be.at.least(rows.length);
      }),
      { numRuns: runs(150), ...replay() },
    );
  });

  it('mean the same before and after the optimizer', function () {
    this.timeout(600_000);
    fc.assert(
      fc.property(query, world, (text, requests) => {
        const { bound, optimized } = compile(text, context, requests);
        expect(answer(optimized, requests)).to.deep.equal(answer(bound, requests));
      }),
      { numRuns: runs(150), ...replay() },
    );
  });
});
