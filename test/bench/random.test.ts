import { expect } from 'chai';
import { sorted } from '../../bench/compare.ts';
import type { Engine, EngineName } from '../../bench/engines.ts';
import { agree, slowerOnes, type Times } from '../../bench/measure.ts';
import { readOptions } from '../../bench/options.ts';
import type { Row } from '../../bench/peers/peer.ts';
import { questionText, SHIFTS, type Language, type RandomQuestion } from '../../bench/questions.ts';
import { drawQuestions } from '../../bench/random/questions.ts';
import { ratiosOf, summaryOf } from '../../bench/ratios.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';

const LANGUAGES: readonly Language[] = ['pipe', 'duckdb', 'clickhouse'];
const MANY = 280;

describe('random questions of the bench', () => {
  const questions = drawQuestions(MANY, 3);
  const texts = (seed: number): string[] => drawQuestions(20, seed).map(({ pipe }) => pipe);

  it('are the same for a seed and others for another', () => {
    expect(texts(1)).to.deep.equal(texts(1));
    expect(texts(1)).to.not.deep.equal(texts(2));
    expect(texts(3)).to.deep.equal(questions.slice(0, 20).map(({ pipe }) => pipe));
  });

  it('are queries, of every kind that the printer has', () => {
    const settings = { now: Date.UTC(2026, 0, 1), timezone: { project: 'UTC' }, limit: 100, offset: 0 } as const;
    const cohorts = { names: [], conditions: new Map<string, string>() };
    const plans = questions.map(({ pipe }) => compileQuery(pipe, { ...settings, cohorts }).plan.kind);
    for (const kind of ['aggregate', 'funnel', 'retention', 'sessions', 'paths', 'lifecycle', 'stickiness'] as const)
      expect(plans).to.include(kind);
  });

  it('move their range: another text for each of the days, which is otherwise the same', () => {
    for (const question of questions) {
      const moved = Array.from({ length: SHIFTS }, (_, days) => questionText(question, 'pipe', days));
      expect(new Set(moved).size, question.id).to.equal(SHIFTS);
      const withoutRange = moved.map((text) => text.replace(/from \S+ to \S+/, ''));
      expect(new Set(withoutRange).size, question.id).to.equal(1);
    }
  });

  it('have ranges within the data, of a day to all of it', () => {
    const [first, last] = [Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 1 + 90)];
    const lengths = questions.flatMap(({ texts: moved }) =>
      moved.map(({ pipe }) => {
        const [, from = '', to = ''] = / from (\S+) to (\S+)/.exec(pipe) ?? [];
        expect(Date.parse(from), pipe).to.be.within(first - 21 * 86_400_000, last);
        expect(Date.parse(to), pipe).to.be.within(Date.parse(from) + 86_400_000, last + 86_400_000);
        return Date.parse(to) - Date.parse(from);
      }),
    );
    expect(Math.min(...lengths)).to.be.below(3 * 86_400_000);
    expect(Math.max(...lengths)).to.equal(last - first);
  });

  it('name no table but the views, and no join of persons where none is asked for', () => {
    for (const question of questions) {
      const [, duckdb, clickhouse] = LANGUAGES.map((language) => questionText(question, language, 0)) as [string, string, string]; // prettier-ignore
      expect(duckdb.includes('e_without_persons'), duckdb).to.equal(!/\bperson\b/.test(duckdb));
      expect(clickhouse)
        .to.include('bench.e')
        .and.not.match(/\b(FROM|JOIN) e\b/);
    }
  });

  it('keep few rows of answers with a row for each person or path', () => {
    for (const { pipe } of questions.filter(({ title }) => title === 'people' || title === 'paths'))
      expect(pipe).to.match(/ \| limit 20$/);
  });

  it('turn rows of JSON into those of SQL', () => {
    const people = questions.find(({ pipe }) => /^[^|]+\| [^|]+\| people \| limit 20$/.test(pipe));
    expect(people?.rows([['u1', null, '2024-02-01T00:00:00.005Z']])).to.deep.equal([['u1', 1_706_745_600_005]]);
    expect(sorted([['b', 1], ['a', 2]])).to.deep.equal([['a', 2], ['b', 1]]); // prettier-ignore
  });
});

/** Engines that answer all questions alike, so many milliseconds after they were asked. */
function engine(name: EngineName, rows: readonly Row[], ms = 1): Engine {
  return {
    name,
    ask: async () => ({ ms, rows, stages: `run;dur=${ms}` }),
    forget: async () => undefined,
    memory: async () => 0,
    close: async () => undefined,
  };
}

describe('what random questions are compared and reported by', () => {
  const [question] = drawQuestions(1, 1) as [RandomQuestion];

  it('is the rows in any order; both texts of a difference are told', async () => {
    const rows = [[1], [2]];
    const same = [engine('windlass', rows), engine('duckdb', rows.toReversed())];
    expect(await agree(same, [question])).to.deep.equal({ asked: [question], skipped: [] });
    const told = await agree([engine('windlass', rows), engine('clickhouse', [[1], [3]])], [question]).catch(String);
    expect(told).to.include('r1: windlass and clickhouse: row 1, cell 0: 2 against 3');
    expect(told).to.include(`--- windlass\n${question.pipe}`);
    expect(told).to.include(`--- clickhouse\n${questionText(question, 'clickhouse', 0)}`);
  });

  it('is the stages of what a peer answered faster', async () => {
    const slow = { windlass: 4, duckdb: 2, clickhouse: 8 };
    const of = (times: Times): Promise<unknown> =>
      slowerOnes([engine('windlass', [[1]], 4)], [question], new Map([[question.id, times]]));
    expect(await of(slow)).to.deep.equal([
      { id: 'r1', pipe: question.pipe, ratios: { duckdb: 0.5, clickhouse: 2, best: 0.5 }, stages: 'run;dur=4' },
    ]);
    expect(await of({ ...slow, windlass: 2 })).to.deep.equal([]);
  });
});

describe('ratios', () => {
  it('are above 1 where Windlass is faster, and are told by their mean, their 10th percentile and their worst', () => {
    const times = [1, 2, 4, 8, 16].map((windlass) => ({ windlass, duckdb: 16, clickhouse: 32 }));
    expect(ratiosOf(times[1]!)).to.deep.equal({ duckdb: 8, clickhouse: 16, best: 8 });
    const summary = summaryOf(times);
    expect(summary?.['geometric mean'].duckdb).to.be.closeTo(4, 1e-12);
    expect(summary?.['10th percentile'].clickhouse).to.be.closeTo(2.8, 1e-12);
    expect(summary?.worst).to.deep.equal({ duckdb: 1, clickhouse: 2, best: 1 });
    expect(summaryOf([])).to.equal(null);
  });
});

describe('options of the bench', () => {
  it('take --seed for the questions where these are random, else for the data', () => {
    expect(readOptions(['--random', '60', '--seed', '7'])).to.include({ random: 60, randomSeed: 7, seed: 1 });
    expect(readOptions(['--seed', '7'])).to.include({ random: 0, seed: 7 });
  });

  it('refuse random questions of other data', () => {
    expect(() => readOptions(['--random', '0'])).to.throw('--random must be a whole number of at least 1, not 0');
    expect(() => readOptions(['--random', '5', '--reference', 'x'])).to.throw('leave out --reference');
  });
});
