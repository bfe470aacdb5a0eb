import { expect } from 'chai';
import { type AlertAnswer, judge, parseAlertCondition } from '../../lib/alerts/condition.ts';

const countries: AlertAnswer = {
  columns: ['country', 'count'],
  rows: [
    { country: 'DE', count: 7 },
    { country: 'FR', count: 12 },
    { country: null, count: null },
  ],
};
const none: AlertAnswer = { columns: ['count'], rows: [] };

function judged(text: string, answer: AlertAnswer): unknown {
  const condition = parseAlertCondition(text);
  if (condition === null) return `no condition: ${text}`;
  const found = judge(condition, answer);
  return 'met' in found ? found.met : found.problem;
}

describe('conditions', () => {
  it('hold for any row, or for all', () => {
    expect(judged('any count < 10', countries)).to.equal(true);
    expect(judged('any count < 7', countries)).to.equal(false);
    expect(judged('any  "count"  >=  12', countries)).to.equal(true);
    expect(judged('any count = 12', countries)).to.equal(true);
    expect(judged('any count != 12', countries)).to.equal(true);
    expect(judged('all count < 10', countries)).to.equal(false);
    expect(judged('all count > 5', { ...countries, rows: countries.rows.slice(0, 2) })).to.equal(true);
    expect(judged('all count > 5', countries), 'a missing value is no number above 5').to.equal(false);
  });

  it('hold of no row where there is none', () => {
    expect(judged('any count < 10', none)).to.equal(false);
    expect(judged('all count < 10', none)).to.equal(false);
    expect(judged('no rows', none)).to.equal(true);
    expect(judged('any rows', none)).to.equal(false);
    expect(judged('no rows', countries)).to.equal(false);
    expect(judged('any rows', countries)).to.equal(true);
  });

  it('hold of a change, in percent', () => {
    const changed = (change: number | null): AlertAnswer => ({
      columns: ['day', 'count', 'count_previous', 'count_change'],
      rows: [{ day: '2026-01-01', count: 8, count_previous: 10, count_change: change }],
    });
    expect(judged('change < -20 %', changed(-0.21))).to.equal(true);
    expect(judged('change < -20%', changed(-0.2))).to.equal(false);
    expect(judged('change > 5.5 %', changed(0.06))).to.equal(true);
    expect(judged('change < -20 %', changed(null)), 'from nothing there is no change').to.equal(false);
    expect(judged('any count_change < -20 %', changed(-0.5))).to.equal(true);
    expect(judged('change < -20 %', countries)).to.equal('the answer has no change of a metric; it has country, count');
  });

  it('say which column an answer lacks', () => {
    expect(judged('any unique < 10', countries)).to.equal('the answer has no column "unique"; it has country, count');
  });

  it('are nothing else', () => {
    for (const text of ['', 'count < 10', 'any count', 'any count < x', 'change < 20', 'some rows', 'any count ~ 3', 'any count < 1e3', 'no rows or any rows', 'any "a"b" < 1'])
      expect(parseAlertCondition(text), text).to.equal(null);
  }); // prettier-ignore

  it('tell what they saw: the rows that meet them first, and not too many', () => {
    const saw = (text: string, answer: AlertAnswer): unknown => {
      const found = judge(parseAlertCondition(text)!, answer);
      return 'saw' in found ? found.saw : null;
    };
    expect(saw('any count > 10', countries)).to.equal('country FR, count 12');
    expect(saw('any count > 100', countries)).to.equal('country DE, count 7; country FR, count 12; country (none), count (none)');
    expect(saw('no rows', none)).to.equal('no rows');
    const many = { columns: ['text'], rows: Array.from({ length: 900 }, () => ({ text: 'x'.repeat(9_000) })) };
    expect(saw('any rows', many)).to.match(/895 more rows$/).and.have.length.below(1_200);
  }); // prettier-ignore
});
