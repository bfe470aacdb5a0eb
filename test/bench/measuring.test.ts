import { expect } from 'chai';
import { difference } from '../../bench/compare.ts';
import { questionText, readQuestions, SHIFTS } from '../../bench/questions.ts';
import { geometricMean, median, quantile } from '../../bench/statistics.ts';

describe('difference', () => {
  it('is null for equal rows, numbers to 9 digits, a path as array or text', () => {
    expect(difference([['a', 0.1 + 0.2, ['x', 'y']]], [['a', 0.3, 'x -> y']])).to.equal(null);
  });

  it('says where rows differ', () => {
    expect(difference([['a', 1]], [['a', 1.00001]])).to.equal('row 0, cell 1: 1 against 1.00001');
    expect(difference([['a']], [['a'], ['b']])).to.equal('1 rows against 2');
    expect(difference([[null]], [[0]])).to.equal('row 0, cell 0: null against 0');
  });
});

describe('the questions', () => {
  const { questions } = readQuestions('bench/questions.json');

  it('move the end of their range in all three languages', () => {
    for (const question of questions) {
      for (const language of ['pipe', 'duckdb', 'clickhouse'] as const) {
        const texts = Array.from({ length: SHIFTS }, (_, days) => questionText(question, language, days));
        expect(new Set(texts).size, `${question.id} ${language}`).to.equal(SHIFTS);
      }
    }
  });
});

describe('statistics', () => {
  it('interpolates quantiles between ranks', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).to.equal(2.5);
    expect(median([7])).to.equal(7);
    expect(() => median([])).to.throw('no values');
  });

  it('takes the geometric mean', () => {
    expect(geometricMean([1, 4])).to.be.closeTo(2, 1e-12);
  });
});
