import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { SOURCES, STAGES } from '../../lib/dsl/keywords.ts';

describe('docs/query-language.md', () => {
  const page = readFileSync('docs/query-language.md', 'utf8');

  it('names every source and every stage', () => {
    for (const word of [...SOURCES, ...STAGES]) {
      expect(page, word).to.match(new RegExp(`\`${word}\\b|[ |]${word} `));
    }
  });
});
