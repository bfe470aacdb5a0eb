import { expect } from 'chai';
import { marked } from 'marked';
import { formatAnswer } from '../../support/format-answer.ts';
import type { Cell } from '../../../lib/dsl/plan/table.ts';
import { answer, column, count, group } from './answers.ts';

function lines(...args: Parameters<typeof answer>): string[] {
  return formatAnswer('llm', answer(...args)).body.split('\n');
}

/** The third line of a one-cell table. */
function cell(value: Cell): string | undefined {
  return lines([column('v', 'json', 'value'), count], [[value, 1]])[2];
}

describe('format llm', () => {
  it('is a Markdown table, a line of context, and the notes', () => {
    const whole = answer([group, count], [['pro', 3], [null, 1]], { notes: ['First.', 'Second.'] }); // prettier-ignore
    const { body, contentType } = formatAnswer('llm', { ...whole, table: { ...whole.table, total: 20 } });
    expect(body).to.equal(
      [
        '| event_properties.plan | count |',
        '| --- | ---: |',
        '| pro | 3 |',
        '| (none) | 1 |',
        '',
        '2 of 20 rows, 2026-01-01T00:00:00.000Z to 2026-02-01T00:00:00.000Z (UTC), 12 ms',
        'Note: First.',
        'Note: Second.',
        '',
      ].join('\n'),
    );
    expect(contentType).to.equal('text/plain; charset=utf-8');
  });

  it('shows the header when there are no rows', () => {
    expect(lines([group, count], [])).to.deep.equal([
      '| event_properties.plan | count |',
      '| --- | ---: |',
      '',
      '0 of 0 rows, 2026-01-01T00:00:00.000Z to 2026-02-01T00:00:00.000Z (UTC), 12 ms',
      '',
    ]);
  });

  it('leaves out columns that are empty in every row, but never a group', () => {
    const columns = [group, column('_os', 'string', 'value'), column('user_properties', 'json', 'value'), count];
    expect(lines(columns, [[null, null, {}, 1], [null, '', {}, 2]])[0]).to.equal('| event_properties.plan | count |'); // prettier-ignore
    expect(lines(columns, [[null, null, {}, 1], [null, 'x', {}, 2]])[0]).to.equal('| event_properties.plan | _os | count |'); // prettier-ignore
  });

  it('keeps a table when all is empty', () => {
    expect(lines([column('sum', 'number', 'metric')], [[null]]).slice(0, 3)).to.deep.equal([
      '| sum |',
      '| ---: |',
      '|  |',
    ]);
  });

  it('escapes pipes, so that no text can end a cell', () => {
    expect(cell('a|b')).to.equal('| a\\|b | 1 |');
    expect(cell('a\\|b')).to.equal('| a\\\\\\|b | 1 |');
    expect(cell('a\\b')).to.equal('| a\\b | 1 |');
    expect(lines([column('x|y', 'string', 'value')], [['v']])[0]).to.equal('| x\\|y |');
  });

  it('escapes line breaks and control characters, in notes too', () => {
    expect(cell('a\nb\r\n\tc')).to.equal('| a\\nb\\r\\n\\tc | 1 |');
    expect(cell('\u001b[31m\u0000\u009b\u2028\u202e')).to.equal('| \\u001b[31m\\u0000\\u009b\\u2028\\u202e | 1 |');
    expect(lines([count], [[1]], { notes: ['event \u001b\n|'] })[5]).to.equal('Note: event \\u001b\\n|');
  });

  const LIVE = [
    '![x](http://t/x)',
    '\\![x](http://t/x)',
    '!\\[x](http://t/x)',
    '[x](javascript:alert(1))',
    '[![x](http://t/x)](http://t)',
    '<img src=x onerror=alert(1)>',
    '\\<img src=x>',
    '\\\\<img src=x>',
    '`a` <b>x</b> `<i>`',
    '`![x](http://t/x)',
    '<!-- hidden',
    '<?php',
    '</table>',
    '<http://t/x>',
    '<a@t.example>',
    '|<s>|',
  ];
  for (const text of LIVE)
    it(`shows texts of others as text, in cells, headings and notes: ${text}`, () => {
      const shown = lines([column(text, 'string', 'value'), count], [[text, 1]], { notes: [`No event ${text}.`] });
      const html = marked.parse(shown.join('\n'), { async: false, gfm: true });
      expect(html).to.include('<table>');
      const tags = new Set(Array.from(html.matchAll(/<\/?([a-z]+)|<[!?]/gi), ([, name]) => name));
      for (const own of ['table', 'thead', 'tbody', 'tr', 'th', 'td', 'p', 'code']) tags.delete(own);
      // A plain address becomes a link to itself, which shows its own text.
      const links = Array.from(html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g));
      for (const [, address = '', of = ''] of links) {
        expect(decodeURI(address).replace('mailto:', '')).to.equal(of.replace('&gt;', '>'));
      }
      if (links.length > 0) tags.delete('a');
      expect([...tags], html).to.deep.equal([]);
    });

  it('leaves ordinary texts as they are', () => {
    for (const text of ['a < b', 'x<5', '->', '[1,2]', 'a_b*c*', '`code`', 'https://a.example/x?y=(z)', '&lt;', '!'])
      expect(cell(text)).to.equal(`| ${text} | 1 |`);
    expect(cell('<b>')).to.equal('| \\<b> | 1 |');
    expect(cell('![a](b)')).to.equal('| !\\[a]\\(b) | 1 |');
  });

  it('takes time in proportion to a text of backslashes', () => {
    const text = '\\'.repeat(200_000);
    expect(cell(text)).to.equal(`| ${text} | 1 |`);
  });

  it('shows seconds with three decimals at most', () => {
    const duration = column('avg_duration', 'seconds', 'metric');
    const shown = [152.5155, 15.0015, 3, 0.0004, 1e21, null].map(
      (seconds) => lines([duration, count], [[seconds, 1]])[2],
    );
    expect(shown).to.deep.equal([
      '| 152.516 | 1 |',
      '| 15.002 | 1 |',
      '| 3 | 1 |',
      '| 0 | 1 |',
      '| 1e+21 | 1 |',
      '| 1 |',
    ]);
  });

  it('shows ratios as percentages, other numbers in full', () => {
    const share = column('share', 'ratio', 'metric');
    const shown = (ratio: number): string | undefined => lines([share], [[ratio]])[2];
    expect([0.12345, 1, 0, -0.5, 0.0004, 0.00012345].map(shown)).to.deep.equal([
      ...['| 12.3 % |', '| 100.0 % |', '| 0.0 % |', '| -50.0 % |', '| 0.04 % |', '| 0.012 % |'],
    ]);
    expect(lines([count], [[1234567.891]])[2]).to.equal('| 1234567.891 |');
  });

  it('shows periods of retention with their share of the cohort', () => {
    const columns = [
      column('cohort', 'string', 'bucket'),
      column('users', 'number', 'metric'),
      column('week_0', 'number', 'period'),
      column('week_1', 'number', 'period'),
    ];
    const rows = [['2026-01-05', 366, 366, 45], ['2026-01-12', 0, 0, null]]; // prettier-ignore
    expect(lines(columns, rows).slice(1, 4)).to.deep.equal([
      '| --- | ---: | ---: | ---: |',
      '| 2026-01-05 | 366 | 366 (100.0 %) | 45 (12.3 %) |',
      '| 2026-01-12 | 0 | 0 |  |',
    ]);
  });

  it('prints times in the zone, paths with arrows, values as JSON', () => {
    const columns = [column('path', 'json', 'group'), column('at', 'time', 'metric'), column('v', 'json', 'value')];
    const rows = [[['a', null], Date.UTC(2026, 0, 31), { a: 'x|y' }]];
    const shown = lines(columns, rows, { zone: 'Europe/Berlin' });
    expect(shown[1]).to.equal('| --- | --- | --- |');
    expect(shown[2]).to.equal('| a -> (none) | 2026-01-31T01:00:00.000+01:00 | {"a":"x\\|y"} |');
    expect(shown[4]).to.contain('2026-01-01T01:00:00.000+01:00 to 2026-02-01T01:00:00.000+01:00 (Europe/Berlin)');
  });
});
