import { assert } from 'chai';
import fc from 'fast-check';
import { checkDashboard } from '../../lib/dashboards/check.ts';
import type { Dashboard } from '../../lib/dashboards/dashboard.ts';
import { problemLine } from '../../lib/dashboards/problem.ts';
import { dashboardOf, SAMPLE } from './dashboard-files.ts';

describe('checking a dashboard', () => {
  it('fills in what a file leaves out', () => {
    const { id, order, refreshMs, timezone, variables, sections } = checked(SAMPLE);
    assert.deepEqual(
      { id, order, refreshMs, timezone },
      { id: 'sample', order: 2, refreshMs: 300_000, timezone: 'Europe/Berlin' },
    );
    assert.deepEqual(variables.map((variable) => [variable.name, variable.default]), [
      ['time', 'last 30d'], ['country', ''], ['bucket', 'day'], ['least', '10'], ['email', ''],
    ]); // prettier-ignore
    const cards = sections.flatMap((section) => section.cards);
    assert.deepEqual(cards.map((card) => [card.id, card.viz, card.layout, card.options.compare]), [
      ['active', 'number', { x: null, w: 3, h: 2 }, true],
      ['card-2', 'area', { x: null, w: 6, h: 4 }, false],
      ['conversion', 'number', { x: null, w: 3, h: 2 }, false],
      ['card-4', 'markdown', { x: null, w: 12, h: 2 }, false],
    ]); // prettier-ignore
    assert.deepEqual(
      cards[2]?.queries.map(({ name }) => name),
      ['paid', 'all'],
    );
    const none = { x: null, y: null, series: null, ratio: null, format: null, currency: null };
    const goal = { value: 100, label: 'Plan' };
    assert.equal(cards[1]?.limit, 1_000);
    assert.deepEqual(cards[1]?.options, { ...none, goal, compare: false, stacked: false });
  });

  it('takes other names for columns', () => {
    const card = (labels: string): string => `version: 1\ntitle: T\nsections: [{cards: [{kind: table, query: '* | last 7d | unique', options: {labels: ${labels}}}]}]\n`;
    assert.deepEqual(checked(card('{unique: People}')).sections[0]?.cards[0]?.options.labels, { unique: 'People' });
    assert.include(problemsOf(card('{unique: 1}')).join(), 'expected');
  }); // prettier-ignore

  it('takes which change is better for a number that is compared alone', () => {
    const card = (options: string, kind = 'metric'): string => dashboardOf(`  - {kind: ${kind}, query: '* | last 7d | count', options: {${options}}}`); // prettier-ignore
    assert.equal(checked(card('better: down')).sections[0]?.cards[0]?.options.better, 'down');
    for (const wrong of [card('better: down', 'table'), card('better: down, compare: false')])
      assert.include(problemsOf(wrong).join(), '`better` is for numbers with a comparison');
    assert.include(problemsOf(card('better: less')).join(), 'expected one of up, down');
  });

  it('takes a small line below a number from another query of the card', () => {
    const card = (options: string, kind = 'metric'): string => dashboardOf(`  - {kind: ${kind}, queries: {all: '* | last 7d | count', days: '* | last 7d | count by day'}, options: {${options}}}`); // prettier-ignore
    assert.equal(checked(card('sparkline: days')).sections[0]?.cards[0]?.options.sparkline, 'days');
    assert.include(problemsOf(card('sparkline: all')).join(), 'days'); // the first has the number
    assert.include(problemsOf(card('sparkline: days', 'table')).join(), '`sparkline` is for numbers');
  });

  it('compares lines and areas over time, if their query can be compared', () => {
    const card = (query: string, options = 'compare: true', viz = 'line'): string => dashboardOf(`  - {kind: chart, viz: ${viz}, query: '${query}', options: {${options}}}`); // prettier-ignore
    const days = '* | last 7d | count by day';
    for (const sound of [card(days), card(days, 'compare: true', 'area'), card('* | all | count by month')])
      assert.equal(checked(sound).sections[0]?.cards[0]?.options.compare, true);
    assert.equal(checked(card(days, 'stacked: false')).sections[0]?.cards[0]?.options.compare, false);
    for (const wrong of [card(days, 'compare: true', 'bar'), card(days, 'compare: true, stacked: true', 'area')])
      assert.include(
        problemsOf(wrong).join(),
        '`compare` is for numbers, and for lines and areas that are not stacked',
      );
    assert.include(problemsOf(card('* | last 7d | count by event_type')).join(), 'the query needs a bucket, such as `by day`'); // prettier-ignore
    assert.include(problemsOf(card('* | last 7d | list')).join(), 'expected metrics to compare');
    assert.include(problemsOf(card(days, 'compare: true, better: up')).join(), '`better` is for numbers');
  });

  it('takes annotations by time, of days and times that exist', () => {
    const file = (annotations: string): string => dashboardOf("  - {kind: table, query: '*'}").replace('sections:', `annotations: ${annotations}\nsections:`); // prettier-ignore
    const sound = file('[{at: 2026-11-20T14:30, text: b}, {at: 2026-11-20, text: a}]');
    assert.deepEqual(checked(sound).annotations, [
      { at: '2026-11-20T00:00', text: 'a' },
      { at: '2026-11-20T14:30', text: 'b' },
    ]);
    assert.equal(checked(file('[]')).annotations, undefined);
    assert.include(problemsOf(file('[{at: 2026-02-31, text: a}]')).join(), 'there is no day or time "2026-02-31"');
    assert.include(problemsOf(file('[{at: yesterday, text: a}]')).join(), '"yesterday" does not fit');
    assert.include(problemsOf(file('[{at: 2026-11-20, txt: a}]')).join(), 'unknown key `txt`; did you mean `text`?');
    assert.include(problemsOf(file(`[${'{at: 2026-11-20, text: a},'.repeat(101)}]`)).join(), '100');
  });

  it('notes the cohorts that its queries name, with the default and with every other option', () => {
    const card = `  - {kind: table, query: '* | {{who}} | count by cohort "always"'}`;
    const text = (variables: string): string => dashboardOf(card, `\n${variables}`);
    const cohort = "  - {name: who, kind: cohort, any: Everybody, fragment: 'where cohort {{value}}'}";
    assert.deepEqual(checked(text(cohort)).cohorts, ['always']);
    assert.deepEqual(checked(text(cohort.replace('any: Everybody', 'default: buyers'))).cohorts, ['always', 'buyers']);
    const options = "  - {name: who, kind: select, options: [a, b], fragment: 'where cohort {{value}}'}";
    assert.deepEqual(checked(text(options)).cohorts, ['a', 'always', 'b']);
    assert.equal(checked(SAMPLE).cohorts, undefined);
    const wrong = (variable: string): string => problemsOf(text(variable)).join();
    assert.include(wrong(cohort.replace('any: Everybody, ', '')), 'lacks `default`, or `any`');
    assert.include(wrong('  - {name: who, kind: cohort, any: Everybody}'), 'needs a `fragment`');
    assert.include(wrong(cohort.replace('any: Everybody', "default: 'a/b'")), 'is no name of a cohort');
  });

  it('tells every problem of a file at once, with line and column, errors of queries among them', () => {
    const lines = problemsOf(`version: 1
id: Big One
titel: x
title: x
timezone: Europe/Berln
variables:
  - {name: b, kind: select, options: [a, a], colum: 3}
  - {name: n, kind: input, type: number, default: 300, max: 5}
sections:
  - cards:
      - kind: chart
        viz: funel
        query: |
          signup | last 7d

            | cuont by day
      - {kind: table, query: '* | {{tme}} | count', layout: {w: 13}}
  - cards: 3
`);
    assert.deepEqual(lines.map((line) => line.replace(/ a stage:.*found/, ' … found')), [
      'f.yaml:2:5 "Big One" does not fit: an id has lower-case letters, digits, - and _, at most 64, and starts with a letter or a digit',
      'f.yaml:3:1 unknown key `titel`; did you mean `title`?',
      'f.yaml:5:11 unknown time zone "Europe/Berln"; write one like "Europe/Berlin"',
      'f.yaml:7:46 unknown key `colum`; did you mean `column`?',
      'f.yaml:8:51 the default does not fit: n: it must be at most 5',
      'f.yaml:12:14 expected one of number, line, area, bar, pie, table, events, funnel, retention, path, lifecycle, histogram, facts, markdown; found "funel", did you mean funnel?',
      'f.yaml:16:15 expected … found `cuont`; did you mean `count`?',
      'f.yaml:17:37 there is no variable "tme"; there are b, n',
      'f.yaml:17:65 `w` must be <= 12',
      'f.yaml:18:12 expected a list, found 3',
    ]); // prettier-ignore
  });

  const places: readonly (readonly [title: string, query: string, place: string])[] = [
    ['plain', 'query: signup | cuont', '8:21'],
    ['in single quotes with doubled ones', "query: 'signup | where _os = \"it''s\" | cuont'", '8:44'],
    ['in double quotes with escapes', 'query: "signup | where _os = \\"a\\" \\u007C cuont"', '8:47'],
    ['folded over lines', 'query: signup\n      | count by day,\n      contry', '10:7'],
    ['a folded block', 'query: >-\n      signup\n      | last 7d\n      | cuont', '11:9'],
    ['a literal block', 'query: |\n      signup\n       | cuont', '10:10'],
    ['at the end', 'query: signup |', '8:20'],
  ];
  for (const [title, query, place] of places) {
    it(`points at the wrong word of a query that is ${title}`, () => {
      const [line = ''] = problemsOf(dashboardOf(`  - kind: table\n    ${query}`));
      assert.include(line, `f.yaml:${place} expected`);
    });
  }

  it('finds the option whose fragment breaks a query', () => {
    const variables =
      '[{name: by, kind: select, options: [{value: d, fragment: by day}, {value: o, fragment: by dya}]}]';
    const lines = problemsOf(dashboardOf("  - {kind: table, query: 'signup | count {{by}}'}", variables));
    assert.lengthOf(lines, 1);
    assert.match(lines[0] ?? '', /^f\.yaml:7:42 with by = "o": expected a field, found `dya`/);
  });

  it('leaves no value within quotes, where it would be text', () => {
    const variables = '[{name: os, kind: input, default: x}]';
    const [line] = problemsOf(dashboardOf(`  - {kind: table, query: '* | where _os = "{{os}}"'}`, variables));
    assert.match(line ?? '', /^f\.yaml:7:44 \{\{os\}\} is in quotes/);
  });

  const misfits: readonly (readonly [card: string, problem: RegExp])[] = [
    ['{kind: funnel, query: signup | count}', /a card of kind funnel asks `funnel a -> b`/],
    ['{kind: funnel, viz: pie, query: funnel a -> b}', /is drawn as funnel, bar, table, not as pie/],
    ['{kind: table, query: signup, queries: {a: signup}}', /`query` or `queries`, not both/],
    ['{kind: table}', /the card lacks `query`/],
    ['{kind: markdown, query: signup}', /has no query/],
    [
      '{kind: chart, query: signup | count by day, options: {x: dya}}',
      /there is no column "dya"; did you mean "day"\?/,
    ],
    [
      '{kind: metric, query: signup | count as n, options: {ratio: {part: count, whole: n}}}',
      /there is no column "count"/,
    ],
    ['{kind: chart, query: signup | count as n by day | having count > 1}', /expected a column of the answer: day, n/],
    ['{kind: metric, query: signup | list}', /a number needs a query with a metric/],
    ['{kind: metric, query: signup, options: {ratio: {part: a, whole: count}}}', /there is no column "a"/],
    ['{kind: metric, query: signup, options: {format: currency}}', /go together/],
    ['{kind: table, query: signup, layout: {x: 8, w: 6}}', /x \+ w is 14/],
    ['{kind: table, query: signup, options: {goal: []}}', /`goal` may not be a list/],
    ['{kind: table, query: 3}', /expected a text, found 3; put it in quotes/],
    ['{kind: chart, query: signup | count by day, options: {goal: .nan}}', /`goal` may not be NaN/],
    [
      '{kind: chart, query: signup | count by day, options: {goal: {value: -.inf}}}',
      /expected a number, found -Infinity/,
    ],
    ['{id: a, kind: table, query: signup}\n  - {id: a, kind: table, query: signup}', /another card is called "a"/],
  ];
  for (const [card, problem] of misfits) {
    it(`refuses the card ${card}`, () => {
      const lines = problemsOf(dashboardOf(`  - ${card}`));
      assert.isNotEmpty(lines);
      assert.match(lines.join('\n'), problem);
    });
  }

  const texts: readonly (readonly [query: string, problem: RegExp])[] = [
    ['* | count', /^f\.yaml:8:12 The YAML cannot be read: .*; put a text that begins with \* in quotes/],
    ['"a b" | count', /^f\.yaml:8:18 .*; put a text that begins with " in quotes/],
    ['{{e}} | count', /^f\.yaml:8:16 .*; put a text that begins with \{ in quotes/],
    ["signup | where user.a = 'b': c", /; put a text with a colon and a space in quotes/],
  ];
  for (const [query, problem] of texts) {
    it(`says once how YAML takes the query ${query}`, () => {
      const lines = problemsOf(dashboardOf(`  - kind: table\n    query: ${query}`));
      assert.lengthOf(lines, 1);
      assert.match(lines[0] ?? '', problem);
    });
  }

  const alias = (from: string) => `[${Array.from({ length: 9 }, () => `*${from}`).join(',')}]`;
  const hostile: readonly (readonly [title: string, text: string, problem: RegExp])[] = [
    ['no YAML', '{"version": 1', /cannot be read: Flow map must end/],
    ['empty', ' \n', /is empty/],
    ['several documents', `${SAMPLE}---\n${SAMPLE}`, /several YAML documents/],
    ['of 10 MB', 'x'.repeat(10_000_000), /10,000,000 bytes; a dashboard has at most 1,048,576/],
    ['full of anchors that expand without end', `a: &a [x]\n${'bcdefghijklm'.split('').map((name, i) => `${name}: &${name} ${alias('abcdefghijkl'[i] ?? '')}`).join('\n')}`, /expand to more than 100 copies/],
    ['an anchor within itself', 'sections: &a\n  - cards: *a', /^f.yaml:1:1 .* more than 524,288 bytes of JSON/],
    ['small and copies a large part', `version: 1\ntitle: T\nsections:\n- &s {cards: [{kind: markdown, text: ${'x'.repeat(12_000)}}]}${'\n- *s'.repeat(49)}`, /^f.yaml:1:1 .* more than 524,288 bytes of JSON .*: copy less/],
    ['nested without end', '['.repeat(500_000), /nested more than 50 deep/],
    ['nested by indentation', Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /nested more than 50 deep/],
    ['nested by dashes', `${'- '.repeat(200_000)}a`, /nested more than 50 deep/],
    ['a map of very many keys', Array.from({ length: 3_000 }, (_, i) => `k${i}: 1`).join('\n'), /unknown key `k0`/],
    ['the same key twice', 'version: 1\nversion: 1', /2:1 the key `version` appears twice/],
    ['an alias of nothing', 'title: *zz', /1:8 there is no anchor &zz/],
    ['a foreign tag', 'a: !!js/function "x"', /Unresolved tag/],
    ['a key of every object', '__proto__: {title: x}', /unknown key `__proto__`/],
  ]; // prettier-ignore
  for (const [title, text, problem] of hostile) {
    it(`says in a sentence that a file is ${title}`, () => {
      const lines = problemsOf(text);
      assert.match(lines.join('\n'), problem);
      assert.isAtMost(lines.length, 101);
    });
  }

  it('cuts what a file makes it repeat, and never inside a character', () => {
    for (const text of [`${'𝄞'.repeat(4_000)}: 1\n${SAMPLE}`, SAMPLE.replace('Europe/Berlin', 'x'.repeat(4_000)), 'a: *'.padEnd(9_000, 'z')]) {
      const [message = ''] = checkDashboard(text).problems.map((problem) => problem.message);
      assert.isAtMost(message.length, 1_000);
      assert.match(message, /^(?:unknown key|unknown time zone|there is no anchor).*…$/);
      assert.isTrue(message.isWellFormed());
    }
  }); // prettier-ignore

  it('takes a pause between two refreshes that a browser can keep', () => {
    const file = (refresh: string): string => SAMPLE.replace('refresh: 5m', `refresh: ${refresh}`);
    assert.equal(checked(file('24h')).refreshMs, 86_400_000);
    assert.deepEqual(problemsOf(file('25h')), ['f.yaml:5:10 a page refreshes every 24h at least']);
    assert.deepEqual(problemsOf(file('9s')), ['f.yaml:5:10 a page can refresh every 10s at most']);
  });

  it('ends with a dashboard or with problems, whatever a file says', () => {
    const word = fc.constantFrom(
      'kind',
      'query',
      '{{time}}',
      '{{',
      '"',
      "'",
      ': ',
      '- ',
      '\n',
      '\n  ',
      '|',
      '>',
      '&a ',
      '*a',
      '[',
      '}',
      '#',
      '\t',
      '\\',
      '__proto__: 1',
      'null',
      '1e400',
      '.nan',
      '---\n',
      '\u2028',
      '😀',
    );
    const edit = fc.record({
      at: fc.nat(SAMPLE.length),
      drop: fc.nat(12),
      insert: fc.oneof(word, fc.string({ maxLength: 4 })),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
        const text = edits.reduce(
          (before, { at, drop, insert }) => before.slice(0, at) + insert + before.slice(at + drop),
          SAMPLE,
        );
        const { dashboard, problems } = checkDashboard(text);
        assert.equal(dashboard === null, problems.length > 0);
        const lines = text.split(/\r?\n/).length + 1;
        for (const { line, column, message } of problems)
          assert.isTrue(line >= 1 && line <= lines && column >= 1 && message !== '', `${line}:${column} ${message}`);
      }),
      { numRuns: 150 },
    );
  });

  it('reads parts of any type where others belong', () => {
    const parts = fc.dictionary(
      fc.constantFrom(
        'version',
        'title',
        'id',
        'variables',
        'sections',
        'cards',
        'kind',
        'query',
        'queries',
        'options',
        'name',
        'layout',
        'x',
      ),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const around = fc.oneof(
      parts.map((part) => ({ version: 1, title: 'T', sections: [{ cards: [part] }], variables: [part] })),
      parts,
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(around, (value) => void checkDashboard(JSON.stringify(value))),
      { numRuns: 150 },
    );
  });
});

function checked(text: string): Dashboard {
  const { dashboard, problems } = checkDashboard(text);
  if (dashboard === null) throw new Error(problems.map((problem) => problemLine('f.yaml', problem)).join('\n'));
  return dashboard;
}

function problemsOf(text: string): readonly string[] {
  const { dashboard, problems } = checkDashboard(text);
  assert.isNull(dashboard);
  return problems.map((problem) => problemLine('f.yaml', problem));
}
