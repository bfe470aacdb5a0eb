import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { CORE_FIELDS, ENRICHED_FIELDS, SESSION_FIELDS } from '../../lib/dsl/plan/fields.ts';
import { LATER_SOURCES, LATER_STAGES, SOURCES, STAGES } from '../../lib/dsl/parse/keywords.ts';
import { METRICS } from '../../lib/dsl/plan/metrics.ts';

describe('docs/query-language.md', () => {
  const page = readFileSync('docs/query-language.md', 'utf8');

  it('names every source and every stage', () => {
    for (const word of [...SOURCES, ...LATER_SOURCES, ...STAGES, ...LATER_STAGES]) {
      expect(page, word).to.match(new RegExp(`\`${word}\\b|[ |]${word} `));
    }
  });

  it('names every metric and every field', () => {
    const names = [...METRICS, ...CORE_FIELDS, ...ENRICHED_FIELDS, ...SESSION_FIELDS];
    for (const name of names) expect(page, name).to.match(new RegExp(`(?<![\\w.])${name}(?!\\w)`));
  });

  it('says of every source of behavior what it counts', () => {
    const reference = page.split('\n### Behavior\n')[1] ?? '';
    for (const source of [
      'funnel',
      'retention',
      'paths',
      'sessions',
      'lifecycle',
      'stickiness',
      'choice',
      'attribution',
      'inspect',
    ]) {
      expect(reference, source).to.match(new RegExp(`\\*\\*[^*]*${source}`));
    }
  });
});
