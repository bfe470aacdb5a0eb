import { expect } from 'chai';
import fc from 'fast-check';
import { compileQuery, MAX_QUERY_BYTES } from '../../lib/dsl/compile.ts';
import { pointAt } from '../../lib/dsl/errors.ts';
import { SOURCES, LATER_STAGES, STAGES, BUCKETS } from '../../lib/dsl/parse/keywords.ts';
import { METRICS } from '../../lib/dsl/plan/metrics.ts';
import { AppError } from '../../lib/base/errors.ts';
import { anyCharacter } from '../support/any-character.ts';
import { CONTEXT, errorOf } from './queries.ts';

describe('errors of queries', () => {
  it('say what was expected, show the line and point at the word', () => {
    expect(errorOf('signup | wher plan = 1').data).to.deep.equal({
      code: 'bad_query',
      message: [
        `expected a stage: ${[...STAGES, ...LATER_STAGES].join(', ')}, count, unique, sum, avg, min, max, median, stddev, mode, ` +
          'p1 to p99, found `wher`; ' +
          'did you mean `where`?',
        'signup | wher plan = 1',
        '         ^',
      ].join('\n'),
      position: 9,
      hints: ['did you mean `where`?'],
    });
  });

  const PASTED: readonly (readonly [query: string, found: string, hint: string])[] = [
    ['funnel a ▲→ b', '"→"', 'write `->`'],
    ['* | where event_properties.n ▲≥ 1', '"≥"', 'write `>=`'],
    ['* | where event_properties.n ▲≤ 1', '"≤"', 'write `<=`'],
    ['* | where event_properties.n ▲≠ 1', '"≠"', 'write `!=`'],
    ['signup ▲｜ count', '"｜"', 'write `|`'],
    ['* | where _os ▲＝ "iOS"', '"＝"', 'write `=`'],
    ['* | where _os = ▲“iOS”', '"“"', 'put strings in straight double quotes: "…"'],
    ['* | where _os = ▲‘iOS’', '"‘"', 'put strings in straight double quotes: "…"'],
    ['* | where event_properties.n > ▲−1', '"−"', 'write `-`'],
    ['formula count(a) ▲÷ count(b)', '"÷"', 'write `/`'],
    ['formula count(a) ▲× 2', '"×"', 'write `*`'],
    ['signup | count▲;', '";"', 'a query ends without `;`, and its stages begin with `|`'],
    ['formula count(a)▲;', '";"', 'a query ends without `;`, and its stages begin with `|`'],
    ['signup | count ▲-- all', '"-"', 'a comment begins with `#`'],
    ['sign▲\u200bup', 'U+200B', 'remove it: it shows nothing, and may have come with copied text'],
    ['* | count by ▲\u2060_os', 'U+2060', 'remove it: it shows nothing, and may have come with copied text'],
    ['* | count by _os | sort ▲-count', '"-"', '`sort count desc` sorts the largest first'],
  ];
  for (const [marked, found, hint] of PASTED)
    it(`name the character and what to write for it: ${JSON.stringify(marked)}`, () => {
      const { message, position, hints } = errorOf(marked.replace('▲', '')).data;
      expect(message.split('\n')[0]).to.equal(`unexpected character ${found}; ${hint}`);
      expect(position).to.equal(marked.indexOf('▲'));
      expect(hints).to.deep.equal([hint]);
    });

  const FOREIGN: readonly (readonly [query: string, hint: string])[] = [
    ['signup // all of them', 'a comment begins with `#`'],
    ['signup | count // all of them', 'a comment begins with `#`'],
    ['signup | // all of them', 'a comment begins with `#`'],
    ['signup | count by day // all of them', 'a comment begins with `#`'],
    ['* | where _path startswith "/a"', 'did you mean `starts with`?'],
    ['* | where _path ends_with "/a"', 'did you mean `ends with`?'],
    ['* | distinct user_id', '`unique user_id` counts different values'],
    ['* | count distinct user_id', '`unique user_id` counts different values'],
    ['* | count by distinct', '`unique user_id` counts different values'],
    ['* | count by _os | percent', '`share` adds what part of the whole each row is: `| count by _os | share`'],
    ['* | count by day_of_week', '`by weekday` has the days of the week, `by hour_of_day` the hours of the day'],
  ];
  for (const [q, hint] of FOREIGN)
    it(`tell what is written here: ${q}`, () => expect(errorOf(q).data.hints?.[0]).to.equal(hint));

  it('show the line that is wrong, of several', () => {
    const { message, position } = errorOf('signup\n\t| wher x\n| count').data;
    expect(message.split('\n').slice(1)).to.deep.equal(['\t| wher x', '\t  ^']);
    expect(position).to.equal(10);
    expect(pointAt('a\r\nb\r\nc', 3)).to.equal('b\n^');
  });

  it('point one past the end at the end', () => {
    expect(errorOf('signup | ').data.position).to.equal(9);
    expect(pointAt('signup |', 8)).to.equal('signup |\n        ^');
    expect(pointAt('', 0)).to.equal('\n^');
  });

  it('count positions in UTF-16 units, and columns as a terminal shows them', () => {
    const { data } = errorOf('"🙂é購" | wher');
    expect(data.position).to.equal('"🙂é購" | '.length);
    expect(data.message.split('\n')[2]).to.equal(`${' '.repeat(10)}^`);
  });

  it('cut long words in the sentence only', () => {
    const word = 'x'.repeat(200);
    const [sentence, line] = errorOf(`* | ${word}`).data.message.split('\n');
    expect(sentence).not.to.include(word);
    expect(line).to.equal(`* | ${word}`);
  });

  it('refuse a query over 16 KiB', () => {
    const query = `"${'é'.repeat((MAX_QUERY_BYTES - 2) / 2)}"`;
    expect(() => compileQuery(query, CONTEXT)).not.to.throw();
    expect(errorOf(`${query} `).data.code).to.equal('query_too_large');
  });
});

describe('whatever the text', () => {
  const words = [
    ...[...SOURCES, ...STAGES, ...METRICS, ...BUCKETS, 'p95', 'to', 'exclude', 'returning', 'any', 'and', 'or', 'not'],
    ...[
      'in',
      'exists',
      'contains',
      'per',
      'asc',
      'desc',
      'true',
      'false',
      'null',
      '|',
      '|',
      '|',
      ',',
      '(',
      ')',
      '[',
      ']',
    ],
    ...[
      '*',
      '->',
      '=',
      '!=',
      '>',
      '>=',
      '<',
      '<=',
      '~',
      '!~',
      '+',
      '-',
      '/',
      '"',
      '"a b"',
      '"("',
      '7d',
      '7',
      'mo',
      '1e400',
    ],
    ...[
      '2026-01-31',
      '2026-02-30T10:00+02:00',
      'signup',
      'event_type',
      'time',
      'event_properties.x',
      'user."a',
      '#',
      '\n',
    ],
    ...['session.duration', '_geo_city', '\\', "'", '&', '🙂', '\ud800', 'Europe/Berlin', '"Europe/Berlin"', '0', '-1'],
  ];
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 25 }).map((parts) => parts.join(' ')),
    fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join('')),
  );

  it('a query compiles, or is an AppError whose position is in the text', () => {
    fc.assert(
      fc.property(text, (query) => {
        try {
          const { plan } = compileQuery(query, CONTEXT);
          expect(JSON.parse(JSON.stringify(plan))).to.deep.equal(plan);
        } catch (error) {
          if (!(error instanceof AppError)) {
            throw error;
          }
          expect(error.data.code).to.be.oneOf(['bad_query', 'query_too_large']);
          expect(error.data.position).to.be.within(0, query.length);
          expect(error.message.split('\n').pop()).to.match(/^\s*\^$/);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
