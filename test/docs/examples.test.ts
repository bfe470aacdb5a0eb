/** Compares the pages with examples to the demo project. `npm run docs` writes the expected answers; read the diff. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BUCKETS, LATER_SOURCES, LATER_STAGES, OPERATOR_WORDS, SOURCES, STAGES } from '../../lib/dsl/parse/keywords.ts';
import { METRICS } from '../../lib/dsl/plan/metrics.ts';
import { CORE_FIELDS, ENRICHED_FIELDS, SESSION_FIELDS } from '../../lib/dsl/plan/fields.ts';
import { openDemoProject, type DemoProject } from './demo-project.ts';
import { answerTo, EXAMPLE_PAGES, examplesOf } from './example-page.ts';

const read = (file: string): string => readFileSync(file, 'utf8');

describe('examples of the documentation', () => {
  let project: DemoProject;
  before(async () => {
    project = await openDemoProject();
  });
  after(() => project.close());

  for (const file of EXAMPLE_PAGES) {
    describe(file, () => {
      for (const example of examplesOf(read(file))) {
        it(`line ${example.line}: ${example.query.replaceAll('\n', ' ')}`, async () => {
          expect(example.answer, 'run `npm run docs`, and read the difference').to.equal(
            await answerTo(example, project),
          );
        });
      }
    });
  }
});

describe('docs/query-examples.md', () => {
  const queries = examplesOf(read('docs/query-examples.md')).map(({ query }) => query);
  const text = queries.join('\n');

  const words = [...SOURCES, ...LATER_SOURCES, ...STAGES, ...LATER_STAGES, ...METRICS, ...BUCKETS, ...OPERATOR_WORDS];
  const joints = [
    'to',
    'exclude',
    'returning',
    'any',
    'and',
    'or',
    'per',
    'asc',
    'desc',
    'true',
    'false',
    'null',
    'p99',
  ];
  for (const word of new Set<string>([...words, ...joints])) {
    it(`shows \`${word}\``, () => expect(text.toLowerCase()).to.match(new RegExp(`(?<![\\w.])${word}(?![\\w.])`)));
  }

  for (const operator of [
    '=',
    '!=',
    '>',
    '>=',
    '<',
    '<=',
    '~',
    '!~',
    'not in',
    'not contains',
    'not exists',
    'not starts with',
    'not has',
  ]) {
    it(`shows the test \`${operator}\``, () => expect(text).to.contain(` ${operator}`));
  }

  for (const unit of ['m', 'h', 'd', 'w', 'mo', 'q', 'y']) {
    it(`shows a range in \`${unit}\``, () => expect(text).to.match(new RegExp(`last \\d+${unit}\\b`)));
  }

  const families = ['event_properties.', 'user_properties.', 'user.', 'session.', 'user_last_session.'];
  const sessions = SESSION_FIELDS.map((name) => `session.${name}`);
  for (const field of [...CORE_FIELDS, ...families, ...ENRICHED_FIELDS, '_geo_country', ...sessions]) {
    it(`shows the field \`${field}\``, () => expect(text).to.contain(` ${field}`));
  }

  const reference = read('docs/query-language.md').split('\n## Reference\n')[1] ?? '';
  for (const [, cell = ''] of reference.matchAll(/^\| (`[^|]*(?:\\\|[^|]*)?) \|.*\| .* \| .* \|$/gm)) {
    const source = /`([a-z*]+)/.exec(cell)?.[1] ?? cell;
    it(`asks the source ${cell.trim()} with its defaults`, () => {
      expect(queries.some((query) => query === source || query.startsWith(`${source} `))).to.equal(true);
    });
  }
});
