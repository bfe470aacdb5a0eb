import { expect } from 'chai';
import { renderTable } from '../../../lib/cli/output/table.ts';
import type { TableContent } from '../../../lib/cli/output/table.ts';

const WIDE = Number.POSITIVE_INFINITY;
const plain = (content: TableContent, width = WIDE): string => renderTable(content, { width, color: false });

/** A table of one column with these values. */
const column = (...values: readonly unknown[]): TableContent => ({
  columns: [{ name: 'v' }],
  rows: values.map((value) => [value]),
});
const cellsOf = (text: string): string[] => text.trimEnd().split('\n').slice(2);

describe('the table of a terminal', () => {
  it('puts texts left and numbers right, under a header and above a footer', () => {
    const content = {
      columns: [{ name: 'event_type' }, { name: 'count' }, { name: 'share', type: 'ratio' }],
      rows: [
        ['signup', 12, 0.5],
        ['page_view', 6084, 0.0001],
        [null, 3, null],
      ],
      footer: ['3 of 30 rows, 12 ms'],
    };
    expect(plain(content)).to.equal(
      [
        'event_type  count   share',
        '──────────  ─────  ──────',
        'signup         12  50.0 %',
        'page_view    6084  0.01 %',
        '–               3       –',
        '',
        '3 of 30 rows, 12 ms',
        '',
      ].join('\n'),
    );
  });

  it('aligns by the room that characters take on a screen', () => {
    const cases: readonly (readonly [text: string, columns: number])[] = [
      ['abc', 3],
      ['日本語', 6],
      ['ｶﾞ', 2],
      ['한국', 4],
      ['👩‍👩‍👧‍👦', 2],
      ['🇩🇪', 2],
      ['e\u0301', 1],
      ['a\u200Bb', 2],
      ['\u0301', 0],
    ];
    for (const [text, columns] of cases) {
      const lines = plain({ columns: [{ name: 'a' }, { name: 'b' }], rows: [[text, 'x'], ['123456', 'x']] }).split('\n'); // prettier-ignore
      expect(lines[2], JSON.stringify(text)).to.equal(`${text}${' '.repeat(6 - columns)}  x`);
    }
  });

  it('shows every kind of value on one line, and a missing one apart from an empty text', () => {
    const values = [null, '', 'a', true, 12, [1, 2], { a: null }];
    expect(cellsOf(plain(column(...values, 'end')))).to.deep.equal(['–', '', 'a', 'true', '12', '[1,2]', '{"a":null}', 'end']); // prettier-ignore
    const path = { columns: [{ name: 'path', type: 'json', role: 'group' }], rows: [[['a', 'b']]] };
    expect(cellsOf(plain(path))).to.deep.equal(['a -> b']);
  });

  it('prints numbers without the noise of binary fractions, and whole ones with every digit', () => {
    expect(cellsOf(plain(column(0.1 + 0.2, 2740.4000000000005, 1e21)))).to.deep.equal(['   0.3', '2740.4', ' 1e+21']);
    expect(cellsOf(plain(column(Number.MAX_SAFE_INTEGER)))).to.deep.equal(['9007199254740991']);
  });

  it('takes a column for one of numbers by its type, else by its values', () => {
    const aligned = (type: string | undefined, ...values: readonly unknown[]): string | undefined =>
      cellsOf(plain({ columns: [{ name: 'value', type }], rows: values.map((value) => [value]) }))[0];
    expect(aligned(undefined, 1)).to.equal('    1');
    expect(aligned(undefined, 1, null)).to.equal('    1');
    expect(aligned(undefined, 1, 'a')).to.equal('1');
    expect(aligned('number', null)).to.equal('    –');
    expect(aligned('json', 1)).to.equal('1');
  });

  it('lets nothing through that a terminal would obey', () => {
    const hostile = 'a\u001B[31mb\u0007\r\nc\td\u009B2J\u202Ee\u2028f\uD800';
    const shown = 'a\\u001b[31mb\\u0007\\r\\nc\\td\\u009b2J\\u202ee\\u2028f\\ud800';
    const text = plain({ columns: [{ name: hostile }], rows: [[hostile], [{ [hostile]: 1 }]], footer: [hostile] });
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(text).not.to.match(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028-\u202E\uD800-\uDFFF]/);
    expect(text.split('\n')[2]).to.equal(shown);
    expect(text.split('\n').at(-2)).to.equal(shown);
  });

  it('cuts the widest columns first, fairly, and shows where', () => {
    const content = { columns: [{ name: 'id' }, { name: 'a' }, { name: 'b' }, { name: 'n' }], rows: [['usr_1', 'a'.repeat(50), 'b'.repeat(30), 123456]] }; // prettier-ignore
    const line = (width: number): string => cellsOf(plain(content, width))[0] ?? '';
    expect(line(97)).to.equal(`usr_1  ${'a'.repeat(50)}  ${'b'.repeat(30)}  123456`);
    expect(line(80)).to.equal(`usr_1  ${'a'.repeat(32)}…  ${'b'.repeat(30)}  123456`);
    expect(line(46)).to.equal(`usr_1  ${'a'.repeat(14)}…  ${'b'.repeat(13)}…  123456`);
    for (let width = 33; width <= 97; width += 1) expect(line(width), `${width}`).to.have.lengthOf(width);
  });

  it('cuts between characters as a reader sees them', () => {
    const cut = (text: string): string => cellsOf(plain(column(text), 8))[0] ?? '';
    expect(cut('日本語日本語')).to.equal('日本語…');
    expect(cut('1234567👩‍👩‍👧‍👦')).to.equal('1234567…');
    expect(cut('123456e\u0301789')).to.equal('123456e\u0301…');
    expect(cut('')).to.equal('');
  });

  it('leaves columns without a value out where there is no room for them, and says so', () => {
    const names = ['time', '_browser', '_browser_version', 'name', '_device_type'];
    const content = {
      columns: names.map((name) => ({ name })),
      rows: [
        [1, null, null, 'a', null],
        [2, null, null, '', null],
      ],
      footer: ['2 of 2 rows'],
    };
    expect(plain(content, 60).split('\n')[0]).to.equal('time  _browser  _browser_version  name  _device_type');
    const short = [
      'time  name',
      '────  ────',
      '   1  a',
      '   2',
      '',
      '2 of 2 rows',
      '3 columns without a value',
      'left out',
      '',
    ];
    expect(plain(content, 28)).to.equal(short.join('\n'));
    const empty = { columns: content.columns, rows: [[null, null, null, null, null]] };
    expect(plain(empty, 28)).to.match(/^_browser_v\S*…  –$/m);
  });

  it('breaks what stands below it between words, and no name that is longer than a line', () => {
    const name = 'checkout_completed_on_the_second_try';
    const footer = ['0 rows, 3 ms', `no event "checkout completed"; the nearest name is "${name}"`];
    const lines = plain({ columns: [{ name: 'count' }], rows: [[0]], footer }, 30).split('\n');
    expect(lines.slice(-5)).to.deep.equal(['0 rows, 3 ms', 'no event "checkout completed";', 'the nearest name is', `"${name}"`, '']); // prettier-ignore
  });

  it('prints records where the columns have no room beside each other', () => {
    const content = {
      columns: [{ name: 'time' }, { name: 'event_properties' }, { name: 'count' }],
      rows: [
        ['2026-11-17T12:01:36.991Z', { plan: 'business', release: '4.75.0' }, 1234567],
        ['', null, 2],
      ],
    };
    expect(plain(content, 24)).to.equal(
      [
        '── 1 ────────',
        'time         2026-11-17…',
        'event_prop…  {"plan":"b…',
        'count        1234567',
        '── 2 ────────',
        'time',
        'event_prop…  –',
        'count        2',
        '',
      ].join('\n'),
    );
  });

  it('never cuts a number, which would be another number', () => {
    const content = { columns: [{ name: 'name' }, { name: 'n' }], rows: [['x', 123456789012345]] };
    for (const width of [1, 5, 10, 15, 20, 40]) expect(plain(content, width), `${width}`).to.include('123456789012345');
  });

  it('styles header, rule, missing values and footer only where colours are on', () => {
    const content = { columns: [{ name: 'a' }, { name: 'b' }], rows: [[null, 1]], footer: ['1 row'] };
    expect(renderTable(content, { width: 80, color: true })).to.equal(
      [
        '\u001B[1ma\u001B[22m  \u001B[1mb\u001B[22m',
        '\u001B[2m─\u001B[22m  \u001B[2m─\u001B[22m',
        '\u001B[2m–\u001B[22m  1',
        '',
        '\u001B[2m1 row\u001B[22m',
        '',
      ].join('\n'),
    );
    expect(plain(content)).not.to.include('\u001B');
  });

  it('groups digits, shortens fractions and times for people, and leaves what may be a name as it is', () => {
    const shown = (column: object, ...values: readonly unknown[]): string[] => {
      const content = { columns: [{ name: 'value', ...column }], rows: values.map((value) => [value]) };
      return cellsOf(renderTable(content, { width: 80, color: false, forPeople: true })).map((line) => line.trim());
    };
    expect(shown({}, 27072, -1339.66666, 0.190026066254945, 12, 1e21)).to.deep.equal(['27,072', '-1,339.667', '0.19', '12', '1e+21']); // prettier-ignore
    expect(shown({ role: 'metric', type: 'number' }, 2026)).to.deep.equal(['2,026']);
    expect(shown({ role: 'group', type: 'number' }, 2026)).to.deep.equal(['2026']);
    expect(shown({ type: 'time' }, '2026-11-29T11:31:14.894Z', 'never')).to.deep.equal(['2026-11-29 11:31', 'never']);
    expect(shown({ name: 'time', type: 'time' }, '2026-11-29T12:31:14+01:00')).to.deep.equal(['2026-11-29 12:31:14']);
    expect(shown({}, '2026-11-29T11:31:14.894Z')).to.deep.equal(['2026-11-29T11:31:14.894Z']);
  });

  it('never cuts a time, nor what is to be copied', () => {
    const content = {
      columns: [{ name: 'id', whole: true }, { name: 'day', role: 'bucket' }, { name: 'name' }],
      rows: [['prj_0123456789', '2026-11-29', 'a long name']],
    };
    expect(cellsOf(plain(content, 36))[0]).to.equal('prj_0123456789  2026-11-29  a long …');
    expect(plain(content, 24))
      .to.match(/^id +prj_0123456789$/m)
      .and.match(/^day +2026-11-29$/m);
  });

  it('leaves columns with a rank out, the highest first, until names and numbers fit, and names them', () => {
    const content = {
      columns: [
        { name: 'project' },
        { name: 'organization', rank: 1 },
        { name: 'events' },
        { name: 'stored', rank: 2 },
      ],
      rows: [['Shop', 'Acme', 12, 3456]],
    };
    expect(plain(content, 37).split('\n')[0]).to.equal('project  organization  events  stored');
    expect(plain(content, 36).split('\n')[0]).to.equal('project  organization  events');
    const [header, , row, , ...notes] = plain(content, 28).trimEnd().split('\n');
    expect([header, row]).to.deep.equal(['project  events', 'Shop         12']);
    expect(notes.join(' ')).to.equal('No room for organization and stored: a wider terminal or --json shows them');
  });

  it('draws bars beside a column where there is room, and none without a terminal', () => {
    const content = { columns: [{ name: 'day' }, { name: 'n' }], rows: [['a', 8], ['b', 3], ['c', 0], ['d', null], ['e', -1]], bars: 1 }; // prettier-ignore
    const lines = ['day   n', '───  ──', 'a     8  ████████', 'b     3  ███', 'c     0', 'd     –', 'e    -1'];
    expect(plain(content, 17).trimEnd().split('\n')).to.deep.equal(lines);
    expect(plain(content, 16)).to.not.include('█');
    expect(plain(content)).to.not.include('█');
  });

  it('shades a cell by a ground in colour, or by a sign without colours', () => {
    const share = (value: number): number => value;
    const show = (value: number): string => `${value * 100}%`;
    const content = {
      columns: [{ name: 'w1', type: 'number', show, shade: share }],
      rows: [[1], [0.5], [0.1], [0], [null]],
    };
    expect(cellsOf(plain(content))).to.deep.equal(['█100%', '▓ 50%', '░ 10%', '   0%', '    –']);
    const colored = cellsOf(renderTable(content, { width: 80, color: true }));
    expect(colored[0]).to.equal('\u001B[38;5;16;48;5;44m100%\u001B[39;49m');
    expect(colored[2]).to.equal('\u001B[38;5;231;48;5;23m 10%\u001B[39;49m');
    expect(colored[3]).to.equal('\u001B[2m  0%\u001B[22m');
  });

  it('is a header without rows, and a footer alone without columns', () => {
    expect(plain({ columns: [{ name: 'a' }], rows: [] })).to.equal('a\n─\n');
    expect(plain({ columns: [], rows: [], footer: ['0 rows'] })).to.equal('0 rows\n');
    expect(plain({ columns: [], rows: [] })).to.equal('');
  });
});
