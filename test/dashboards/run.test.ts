import { assert } from 'chai';
import { checkDashboard } from '../../lib/dashboards/check.ts';
import type { Card, Dashboard } from '../../lib/dashboards/dashboard.ts';
import type { CardData, Envelope } from '../../lib/dashboards/data.ts';
import {
  AskError,
  DashboardRun,
  previousQuery,
  runDashboard,
  type AskCard,
  type CardQuestion,
} from '../../lib/dashboards/run.ts';
import { defaultValues } from '../../lib/dashboards/values.ts';
import { dashboardOf } from './dashboard-files.ts';

const ANSWER: Envelope = {
  columns: ['plan', 'count'],
  column_types: [{ name: 'plan', type: 'string', role: 'group' }, { name: 'count', type: 'number', role: 'metric' }],
  rows: [{ plan: 'pro', count: 3 }, { plan: 'free', count: 2 }, { plan: null, count: 1 }],
  total: 3,
  range: { from: '2026-03-02T00:00:00.000+01:00', to: '2026-03-09T00:00:00.000+01:00', timezone: 'Europe/Berlin' },
  rows_scanned: 6,
  elapsed_ms: 1,
  mode: 'embedded',
  notes: [],
}; // prettier-ignore

describe('running a dashboard', () => {
  it('asks equal questions once, and at most 8 at once', async () => {
    const cards = Array.from({ length: 20 }, (_, i) => `  - {kind: table, query: 'e${i % 10} | count by plan'}`);
    const asked: CardQuestion[] = [];
    let [running, most] = [0, 0];
    const data = await runAll(cards.join('\n').replaceAll('by plan', 'by user.plan'), async (question) => {
      asked.push(question);
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return ANSWER;
    });
    assert.lengthOf(asked, 10);
    assert.equal(most, 8);
    assert.isTrue(data.every(({ state }) => state === 'ready'));
  });

  it('offers the cohorts of the project as options', async () => {
    const card = `  - {kind: table, query: '* | where cohort {{who}} | count'}`;
    const { dashboard } = checkDashboard(dashboardOf(card, '\n  - {name: who, kind: cohort, default: buyers}'));
    const asked: string[] = [];
    const ask: AskCard = async ({ q }) => {
      asked.push(q);
      return ANSWER;
    };
    const values = { who: 'a "b' };
    const run = new DashboardRun({ dashboard: dashboard!, values, ask, cohorts: async () => ['buyers', 'pros'] });
    assert.deepEqual(await run.options(dashboard!.variables[0]!), [{ value: 'buyers', label: 'buyers' }, { value: 'pros', label: 'pros' }]); // prettier-ignore
    await run.card(dashboard!.sections[0]!.cards[0]!);
    assert.include(asked[0], '| where cohort "a \\"b" |');
  });

  it('makes a card that fails an error, and leaves the others', async () => {
    const cards = '  - {kind: table, query: slow}\n  - {kind: table, query: good}\n  - {kind: markdown, text: x}';
    const data = await runAll(cards, async ({ q }) => {
      if (q === 'slow') throw new AskError('The query ran out of time after 25 s.', 'Ask for a shorter range.');
      return ANSWER;
    });
    const error = {
      state: 'error',
      message: 'The query ran out of time after 25 s.',
      hint: 'Ask for a shorter range.',
    };
    assert.deepEqual(data, [
      error as CardData,
      { state: 'ready', queries: { query: ANSWER }, previous: null },
      { state: 'ready', queries: {}, previous: null },
    ]);
  });

  it('takes for a number what its query compares with, and asks no other', async () => {
    const metric = (name: string, type: 'number' | 'ratio') => ({ name, type, role: 'metric' }) as const;
    const compared: Envelope = {
      ...ANSWER,
      columns: ['count', 'count_previous', 'count_change'],
      column_types: [metric('count', 'number'), metric('count_previous', 'number'), metric('count_change', 'ratio')],
      rows: [{ count: 3, count_previous: 2, count_change: 0.5 }],
    };
    const asked: string[] = [];
    const [card] = await runAll('  - {kind: metric, query: signup | last 7d | compare 1y ago}', ({ q }) => {
      asked.push(q);
      return Promise.resolve(compared);
    });
    assert.deepEqual(asked, ['signup | last 7d | compare 1y ago']);
    assert.equal(card?.state === 'ready' ? card.previous?.['query']?.rows[0]?.['count'] : null, 2);
  });

  it('asks for the time before of a number', async () => {
    const asked: string[] = [];
    const [card] = await runAll('  - {kind: metric, query: signup | last 7d}', async ({ q }) => {
      asked.push(q);
      return ANSWER;
    });
    assert.deepEqual(asked, [
      'signup | last 7d',
      'signup | from "2026-02-22T23:00:00.000Z" to "2026-03-01T23:00:00.000Z"',
    ]);
    assert.deepEqual(card, { state: 'ready', queries: { query: ANSWER }, previous: { query: ANSWER } });
  });

  it('finds the options of a select, without those that are none', async () => {
    const variables = "[{name: plan, kind: select, default: pro, options: [pro], query: '* | count by user.plan'}]";
    const dashboard = checked(dashboardOf("  - {kind: table, query: '* | where user.plan = {{plan}}'}", variables));
    const run = new DashboardRun({ dashboard, values: defaultValues(dashboard), ask: async () => ANSWER });
    const [variable] = dashboard.variables;
    assert.isDefined(variable);
    if (variable !== undefined) assert.deepEqual(await run.options(variable), [{ value: 'free', label: 'free' }]);
  });

  it('gives up what runs and what waits when it is stopped', async () => {
    const cards = Array.from({ length: 10 }, (_, i) => `  - {kind: table, query: e${i}}`).join('\n');
    const dashboard = checked(dashboardOf(cards));
    let asked = 0;
    const run = new DashboardRun({
      dashboard,
      values: {},
      ask: (_question, signal) => {
        asked += 1;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      },
    });
    const all = Promise.allSettled(cardsOf(dashboard).map((card) => run.card(card)));
    await new Promise((resolve) => setImmediate(resolve));
    run.stop();
    assert.deepEqual([...new Set((await all).map(({ status }) => status))], ['rejected']);
    assert.equal(asked, 8);
  });
});

describe('the time before', () => {
  const berlin = (from: string, to: string) => ({ range: { from, to, timezone: 'Europe/Berlin' } });
  const cases: readonly (readonly [q: string, range: { range: Envelope['range'] }, before: string | null])[] = [
    ['a | last 6h | count', berlin('2026-03-29T00:00:00.000+01:00', '2026-03-29T07:00:00.000+02:00'), 'a | from "2026-03-28T17:00:00.000Z" to "2026-03-28T23:00:00.000Z" | count'],
    ['a | today', berlin('2026-03-29T00:00:00.000+01:00', '2026-03-29T13:30:00.001+02:00'), 'a | from "2026-03-28T00:00:00.000" to "2026-03-28T13:30:00.001"'],
    ['a | this month', berlin('2026-03-01T00:00:00.000+01:00', '2026-03-31T12:00:00.000+02:00'), 'a | from "2026-02-01T00:00:00.000" to "2026-02-28T12:00:00.000"'],
    ['a | this week # now', berlin('2026-03-23T00:00:00.000+01:00', '2026-03-30T00:00:00.000+02:00'), 'a | from "2026-03-16T00:00:00.000" to "2026-03-23T00:00:00.000"'],
    ['a | from 2026-03-23 to 2026-03-30 | by day', berlin('2026-03-23T00:00:00.000+01:00', '2026-03-30T00:00:00.000+02:00'), 'a | from "2026-03-16T00:00:00.000" to "2026-03-23T00:00:00.000" | by day'],
    ['a | count # all', berlin('2026-03-02T00:00:00.000+01:00', '2026-03-09T00:00:00.000+01:00'), 'a | count # all\n| from "2026-02-22T23:00:00.000Z" to "2026-03-01T23:00:00.000Z"'],
    ['a | all', berlin('2026-03-23T00:00:00.000+01:00', '2026-03-30T00:00:00.000+02:00'), null],
  ]; // prettier-ignore
  for (const [q, range, before] of cases) {
    it(`of ${q.replace('#', '…')} is as long`, () => assert.equal(previousQuery(q, range), before));
  }
});

async function runAll(cards: string, ask: AskCard): Promise<readonly CardData[]> {
  const dashboard = checked(dashboardOf(cards));
  const data = await runDashboard({ dashboard, values: defaultValues(dashboard), ask });
  return Object.values(data.cards);
}

function cardsOf({ sections }: Dashboard): readonly Card[] {
  return sections.flatMap((section) => section.cards);
}

function checked(text: string): Dashboard {
  const { dashboard, problems } = checkDashboard(text);
  if (dashboard === null) throw new Error(JSON.stringify(problems));
  return dashboard;
}
