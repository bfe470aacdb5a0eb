import { expect } from 'chai';
import { SplitTrials } from '../../lib/workers/split-trials.ts';
import * as plans from '../dsl/plans.ts';

const plan = plans.aggregate({});
const ROWS = 1_000_000;

/** Answers so many queries; `ms` tells how long each way takes. Resolves to how each was answered. */
function ask(trials: SplitTrials, times: number, ms: { all: number; one: number }, of = plan, rows = ROWS): string {
  let ways = '';
  for (let nth = 0; nth < times; nth++) {
    const choice = trials.choose('prj', of, rows);
    ways += choice.split ? 'a' : '1';
    trials.learn(choice, choice.split ? ms.all : ms.one);
  }
  return ways;
}

describe('SplitTrials', () => {
  it('tries all threads, then one, and keeps what is faster', () => {
    expect(ask(new SplitTrials(), 12, { all: 9, one: 5 })).to.equal('aaaa11111111');
    expect(ask(new SplitTrials(), 12, { all: 5, one: 9 })).to.equal('aaaa1111aaaa');
  });

  it('goes by the median, without the first run of each way, which decodes', () => {
    const trials = new SplitTrials();
    const all = [900, 3, 8, 8];
    const one = [900, 7, 7, 50];
    for (const ms of [...all, ...one]) trials.learn(trials.choose('prj', plan, ROWS), ms);
    expect(trials.choose('prj', plan, ROWS).split).to.equal(false);
  });

  it('knows a question by all but its range and page', () => {
    const trials = new SplitTrials();
    ask(trials, 8, { all: 9, one: 5 });
    const later = {
      ...plan,
      range: { from: plan.range.from + plans.DAY, to: plan.range.to },
      page: { limit: 7, offset: 7 },
    };
    expect(ask(trials, 1, { all: 9, one: 5 }, later)).to.equal('1');
    const other = plans.aggregate({
      metrics: [{ kind: 'unique', field: { kind: 'core', name: 'user_id' }, column: 'u' }],
    });
    expect(ask(trials, 1, { all: 9, one: 5 }, other)).to.equal('a');
    expect(trials.choose('another project', plan, ROWS).split).to.equal(true);
  });

  it('tries again when the range holds twice the rows', () => {
    const trials = new SplitTrials();
    ask(trials, 8, { all: 9, one: 5 });
    expect(ask(trials, 1, { all: 9, one: 5 }, plan, ROWS * 1.9)).to.equal('1');
    expect(ask(trials, 1, { all: 9, one: 5 }, plan, ROWS * 2.1)).to.equal('a');
  });

  it('does not learn of runs that were not alone: choosing alone changes nothing', () => {
    const trials = new SplitTrials();
    for (let nth = 0; nth < 20; nth++) expect(trials.choose('prj', plan, ROWS).split).to.equal(true);
  });

  it('forgets the questions that were asked longest ago', () => {
    const trials = new SplitTrials();
    ask(trials, 8, { all: 9, one: 5 });
    for (let nth = 0; nth < 2_048; nth++) trials.choose(`project ${nth}`, plan, ROWS);
    expect(trials.choose('prj', plan, ROWS).split).to.equal(true);
  });
});
