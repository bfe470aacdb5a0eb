import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { SOURCES, STAGES } from '../../lib/dsl/keywords.ts';
import { planOf } from './queries.ts';

describe('docs/query-language.md', () => {
  const page = readFileSync('docs/query-language.md', 'utf8');
  const examples = [...page.matchAll(/^```pipe\n([^]*?)^```$/gm)].map((match) => (match[1] ?? '').trim());

  it('has examples that compile', () => {
    expect(examples.length).to.be.above(20);
    for (const example of examples) {
      expect(() => planOf(example), example).not.to.throw();
    }
  });

  it('names every source and every stage', () => {
    for (const word of [...SOURCES, ...STAGES]) {
      expect(page, word).to.match(new RegExp(`\`${word}\\b|[ |]${word} `));
    }
  });
});
