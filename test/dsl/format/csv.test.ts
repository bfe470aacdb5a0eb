import { expect } from 'chai';
import { formatAnswer } from '../../support/format-answer.ts';
import type { Cell } from '../../../lib/dsl/plan/table.ts';
import { answer, column, count, group } from './answers.ts';

function body(...args: Parameters<typeof answer>): string {
  return formatAnswer('csv', answer(...args)).body;
}

function cell(value: Cell): string {
  return body([column('v', 'json', 'value')], [[value]]).slice('v\r\n'.length, -'\r\n'.length);
}

describe('format csv', () => {
  it('has a header row and CRLF after every row', () => {
    const { body: text, contentType } = formatAnswer('csv', answer([group, count], [['pro', 3], [null, 1]])); // prettier-ignore
    expect(text).to.equal('event_properties.plan,count\r\npro,3\r\n,1\r\n');
    expect(contentType).to.equal('text/csv; charset=utf-8');
    expect(body([group, count], [])).to.equal('event_properties.plan,count\r\n');
  });

  it('quotes commas, quotes and line breaks', () => {
    expect(cell('a,b')).to.equal('"a,b"');
    expect(cell('say "x"')).to.equal('"say ""x"""');
    expect(cell('a\nb')).to.equal('"a\nb"');
    expect(cell('a\r\nb')).to.equal('"a\r\nb"');
    expect(cell(' a ')).to.equal(' a ');
  });

  it('tells the empty text from a missing one', () => {
    expect(body([group, count], [['', 1], [null, 2]])).to.equal('event_properties.plan,count\r\n"",1\r\n,2\r\n'); // prettier-ignore
  });

  it('writes no blank line, which readers skip, for a row of one missing cell', () => {
    expect(body([column('avg', 'number', 'metric')], [[null]])).to.equal('avg\r\n""\r\n');
  });

  it("puts a ' before texts that a spreadsheet would run", () => {
    expect(['=1+1', '+a', '-a', '@x'].map(cell)).to.deep.equal(["'=1+1", "'+a", "'-a", "'@x"]);
    expect(['＝1+1', '＋a', '－1', '＠x'].map(cell)).to.deep.equal(["'＝1+1", "'＋a", "'－1", "'＠x"]);
    expect(cell('\tx')).to.equal("'\tx");
    expect(cell('\rx')).to.equal('"\'\rx"');
    expect(cell('\n=1+1')).to.equal('"\'\n=1+1"');
    expect(cell('=A1,"x"')).to.equal('"\'=A1,""x"""');
    expect(body([column('=x', 'string', 'value')], [])).to.equal("'=x\r\n");
  });

  it('never puts one before a text that spells a number: groups of numbers are texts', () => {
    expect(body([group, count], [['-5', 3], ['+1.5e3', 1]])).to.equal('event_properties.plan,count\r\n-5,3\r\n+1.5e3,1\r\n'); // prettier-ignore
    expect(['-.5', '-1-1', '- 5', '-5 '].map(cell)).to.deep.equal(['-.5', "'-1-1", "'- 5", "'-5 "]);
  });

  it('never puts one before numbers, and does not round them', () => {
    expect(cell(-1.5)).to.equal('-1.5');
    expect(body([count, column('share', 'ratio', 'metric')], [[-3, 0.1234567]])).to.equal(
      'count,share\r\n-3,0.1234567\r\n',
    );
  });

  it('writes times in the zone, values as JSON, paths with arrows', () => {
    const columns = [column('time', 'time', 'value'), column('v', 'json', 'value'), column('path', 'json', 'group')];
    const rows = [[Date.UTC(2026, 6, 1), { a: [1, 'x'] }, ['a', null, 'c']]];
    expect(body(columns, rows, { zone: 'Europe/Berlin' })).to.equal(
      'time,v,path\r\n2026-07-01T02:00:00.000+02:00,"{""a"":[1,""x""]}",a -> (none) -> c\r\n',
    );
    expect(cell(true)).to.equal('true');
  });
});
