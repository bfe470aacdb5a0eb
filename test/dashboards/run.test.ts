import { assert } from 'chai';
import { comparing, withComparison } from '../../lib/dashboards/comparison.ts';
import { QueryCompiler } from '../../lib/dashboards/query-compiler.ts';
import { checkDashboard } from '../../lib/dashboards/check.ts';
import type { Card, Dashboard } from '../../lib/dashboards/dashboard.ts';
import type { CardData, Envelope } from '../../lib/dashboards/data.ts';
import { AskError, DashboardRun, runDashboard, type AskCard, type CardQuestion } from '../../lib/dashboards/run.ts';
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
      { state: 'ready', queries: { query: ANSWER } },
      { state: 'ready', queries: {} },
    ]);
  });

  const EARLIER = '* | from "1970-01-01T00:00:00Z" to "2026-02-23T00:00:00+01:00" | list';

  /** What a card asks of a project that had events before the earlier range, or none. */
  const askedBy = async (hasEarlier: boolean, card: string): Promise<readonly string[]> => {
    const asked: string[] = [];
    await runAll(`  - ${card}`, async ({ q }) => {
      asked.push(q);
      if (q === EARLIER) return hasEarlier ? ANSWER : { ...ANSWER, rows: [], total: 0 };
      return { ...ANSWER, notes: ['Compared with 2026-02-23T00:00:00.000+01:00 to 2026-03-02T00:00:00.000+01:00.'] };
    });
    return asked;
  };
  const chart = (q: string): string => `{kind: chart, query: '${q}', options: {compare: true}}`;
  const metric = (q: string): string => `{kind: metric, query: '${q}'}`;

  it('asks for a card and the time before in one query, where the project had events before', async () => {
    const ways = [
      [chart('signup | last 7d | count by day'), 'signup | last 7d | count by day'],
      [metric('signup | last 7d'), 'signup | last 7d'],
    ] as const;
    for (const [card, q] of ways) {
      assert.deepEqual(await askedBy(true, card), [`${q}\n| compare previous`, EARLIER]);
      assert.deepEqual(await askedBy(false, card), [`${q}\n| compare previous`, EARLIER, q]);
    }
  });

  it('leaves a query that compares by itself, or has nothing before it', async () => {
    for (const q of ['signup | last 7d | count by day | compare 1y ago', 'signup | all | count by month'])
      assert.deepEqual(await askedBy(true, chart(q)), [q]);
    for (const q of ['signup | last 7d | count | compare 1y ago', 'signup | all', 'user "ann" | count'])
      assert.deepEqual(await askedBy(true, metric(q)), [q]);
    assert.deepEqual(await askedBy(true, "{kind: metric, query: 'signup | last 7d', options: {compare: false}}"), ['signup | last 7d']); // prettier-ignore
  });

  it('has the annotations of the file and of the project', async () => {
    const file = dashboardOf("  - {kind: table, query: '*'}").replace('sections:', 'annotations: [{at: 2026-11-20, text: Version 2}]\nsections:'); // prettier-ignore
    const own = { at: '2026-11-21T10:00:00.000Z', text: 'Deploy' };
    const run = new DashboardRun({ dashboard: checked(file), values: {}, ask: async () => ANSWER, annotations: async () => [own] }); // prettier-ignore
    assert.deepEqual(await run.annotations(), [{ at: '2026-11-20T00:00', text: 'Version 2' }, own]);
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

describe('what a number may be compared with', () => {
  const compiler = new QueryCompiler(null);
  const queries = [
    'signup', '*', 'users | count', 'sessions', 'sessions | count', 'funnel a -> b', 'lifecycle a', 'formula count(a) / count(b)',
    'choice k', 'choice k | results a', 'retention a', 'paths from a', 'stickiness a', 'attribution a | by session.utm_source',
    'user "ann" | count', 'users', 'fields', 'inspect a', 'a | list', 'a | latest event_properties.plan', 'a | latest event_properties.plan | as of each month',
    'funnel a -> b | people dropped 1', 'a | all',
  ]; // prettier-ignore
  for (const q of queries) {
    it(`is what the language compares: ${q}`, () => {
      assert.equal(compiler.problem(q)?.message, undefined);
      assert.equal(comparing(q) !== q, compiler.problem(withComparison(q)) === null);
    });
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
