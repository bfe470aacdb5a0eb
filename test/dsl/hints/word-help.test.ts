import { expect } from 'chai';
import { gapIn, wordsFor } from '../../../lib/dsl/hints/complete.ts';
import { helpOf } from '../../../lib/dsl/hints/word-help.ts';

const NOTHING = { events: [], fields: [], cohorts: [] };

describe('the help beside words that complete a query', () => {
  for (const query of ['', 'signup | ', 'signup | with ', 'signup | last ', 'funnel a -> b | people '])
    it(`is there for each word that may follow ${JSON.stringify(query)}`, () => {
      const words = wordsFor(gapIn(query), NOTHING);
      expect(words.length).to.be.above(0);
      expect(words.filter(({ text, kind }) => helpOf(text, kind) === null)).to.deep.equal([]);
    });
});
