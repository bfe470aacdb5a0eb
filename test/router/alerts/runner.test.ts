import { expect } from 'chai';
import type { Alert } from '../../../lib/alerts/alert.ts';
import { AppError } from '../../../lib/base/errors.ts';
import { silentLog } from '../../../lib/base/log.ts';
import type { AlertRun } from '../../../lib/control/projects/alert-runs.ts';
import type { Project } from '../../../lib/control/types.ts';
import type { DashboardData, Envelope } from '../../../lib/dashboards/data.ts';
import { AlertRunner, type AlertQuestions } from '../../../lib/router/alerts/runner.ts';
import { tries } from '../../support/campaign.ts';
import { HOUR, newWorld, TESTER, type World } from '../../control/open-control.ts';

const TO = [{ kind: 'webhook', to: 'https://example.com/hook' }] as const;

const alertOf = (id: string, parts: Partial<Alert> = {}): Alert => ({
  ...{ id, title: id, description: null, schedule: 'every 1h', timezone: null, query: 'signup | count' },
  ...{ dashboard: null, when: 'any count < 10', to: TO, paused: false },
  ...parts,
});

const counted = (count: number): Envelope => ({
  ...{ columns: ['count'], column_types: [], rows: [{ count }], total: 1, rows_scanned: 1, elapsed_ms: 1 },
  ...{ range: { from: '', to: '', timezone: 'UTC' }, mode: 'embedded', notes: [] },
});

const SHOWN: DashboardData = {
  dashboard: { version: 1, id: 'growth', title: 'Growth', description: null, order: null, refreshMs: null, timezone: null, variables: [], sections: [] },
  ...{ values: {}, at: '2026-01-15T12:00:00.000Z', cards: {} },
}; // prettier-ignore

describe('alerts that ask', () => {
  let world: World;
  let runner: AlertRunner;
  /** What is answered next. */
  let answer: (project: Project, q: string) => Promise<Envelope>;
  let dashboard: () => Promise<DashboardData>;
  let wait: number;
  const asked: string[] = [];
  const asking: AlertQuestions = {
    query: (project, { q }) => {
      asked.push(q);
      return answer(project, q);
    },
    dashboard: () => dashboard(),
    wait: () => wait,
  };
  const newRunner = (): AlertRunner =>
    new AlertRunner({
      ...{ control: world.control, asking, lease: 60_000, log: silentLog() },
      ...{ pageUrl: (path) => `https://host.example${path}`, now: world.clock.now, since: world.clock.now },
    });

  beforeEach(async () => {
    world = await newWorld();
    runner = newRunner();
    asked.length = 0;
    wait = 0;
    answer = () => Promise.resolve(counted(7));
    dashboard = () => Promise.reject(new AppError('not_found', 'The project has no dashboard "growth".'));
  });
  afterEach(() => runner.close());

  const write = (alert: Alert, yaml = 'yaml') => world.control.alerts.write(world.project, { alert, yaml }, TESTER);
  const runs = (id = 'a'): Promise<readonly AlertRun[]> => world.control.alerts.runs.list(world.project.id, id);
  const look = async (): Promise<void> => {
    await runner.look();
    await runner.idle();
  };
  /** An hour later, what it saw then. */
  const hourLater = async (): Promise<AlertRun> => {
    world.clock.time += HOUR;
    await look();
    return (await runs())[0]!;
  };

  it('fire once, go on in silence, say when it is over, and fire again', async () => {
    await write(alertOf('a'));
    const seen: unknown[] = [];
    for (const count of [12, 7, 6, 11, 12, 3]) {
      answer = () => Promise.resolve(counted(count));
      const { outcome, saw, told } = await hourLater();
      seen.push([outcome, saw, told.length]);
    }
    expect(seen).to.deep.equal([
      ['ok', 'count 12', 0],
      ['fired', 'count 7', 1],
      ['firing', 'count 6', 0],
      ['over', 'count 11', 1],
      ['ok', 'count 12', 0],
      ['fired', 'count 3', 1],
    ]);
  });

  it('tell what they saw, and where to look further', async () => {
    await write(alertOf('a', { title: 'Few', description: 'Call Ann' }));
    await hourLater();
    const [due] = await world.control.alerts.runs.claimNotices(9, 1_000);
    expect(due?.notice).to.deep.include({
      ...{ kind: 'fired', at: world.clock.time, project: { id: world.project.id, name: 'Shop' } },
      ...{ alert: { id: 'a', title: 'Few', description: 'Call Ann' }, saw: 'count 7', rows: [{ count: 7 }] },
      url: `https://host.example/console/projects/${world.project.id}/alerts/a`,
    });
  });

  it('compare by themselves when a change is wanted', async () => {
    await write(alertOf('a', { when: 'change < -20 %' }));
    answer = () => Promise.resolve({ ...counted(8), columns: ['count', 'count_change'], rows: [{ count: 8, count_change: -0.25 }] }); // prettier-ignore
    expect(await hourLater()).to.include({ outcome: 'fired', saw: 'count 8, count_change -25 %' });
    expect(asked).to.deep.equal(['signup | count\n| compare previous']);
  });

  it('are told once when they cannot be answered any more, and when they can again', async () => {
    await write(alertOf('a'));
    answer = () => Promise.reject(new AppError('bad_query', 'There is no cohort "buyers".', { hints: ['Save it.'] }));
    const broken = await hourLater();
    expect([broken.outcome, broken.saw, broken.told.length]).to.deep.equal(['broken', 'There is no cohort "buyers". Save it.', 1]);
    expect((await hourLater()).told).to.deep.equal([]);
    expect((await world.control.alerts.find(world.project.id, 'a'))?.state).to.equal('broken');
    answer = () => Promise.resolve(counted(12));
    const over = await hourLater();
    expect([over.outcome, over.told.length]).to.deep.equal(['over', 1]);
    const notices = await world.control.alerts.runs.claimNotices(9, 1_000);
    expect(notices.map(({ notice: { kind, saw } }) => [kind, saw])).to.deep.equal([
      ['broken', 'There is no cohort "buyers". Save it.'],
      ['over', 'It can be answered again: count 12'],
    ]);
  }); // prettier-ignore

  it('are broken, too, where an answer has lost the column, or there is no such dashboard', async () => {
    await write(alertOf('a', { when: 'any unique < 3' }));
    expect(await hourLater()).to.include({
      outcome: 'broken',
      saw: 'the answer has no column "unique"; it has count.',
    });
    await write(alertOf('b', { query: null, dashboard: 'growth', when: null }));
    await hourLater();
    expect((await runs('b'))[0]).to.include({ outcome: 'broken', saw: 'The project has no dashboard "growth".' });
  });

  it('tell that they are broken by what no waiting mends, a mistake of the service too', async () => {
    await write(alertOf('a'));
    answer = () => Promise.reject(new AppError('shard_damaged', 'The data of this project is damaged.'));
    const damaged = await hourLater();
    expect([damaged.outcome, damaged.saw, damaged.told.length]).to.deep.equal(['broken', 'The data of this project is damaged.', 1]); // prettier-ignore
    answer = () => Promise.resolve(counted(12));
    await hourLater();
    answer = () => Promise.reject(new TypeError('x of undefined'));
    const mistaken = await hourLater();
    expect([mistaken.outcome, mistaken.told.length]).to.deep.equal(['broken', 1]);
    expect(mistaken.saw).to.equal('The service has failed to ask: this is its own mistake, which is in its log.');
    await write(alertOf('b', { when: 'some count is odd' })); // as an import may bring it
    await hourLater();
    expect((await runs('b'))[0]).to.include({ outcome: 'broken', saw: 'There is no condition "some count is odd".' });
  });

  it('keep what a dashboard showed for letters only', async () => {
    dashboard = () => Promise.resolve(SHOWN);
    const report = { query: null, dashboard: 'growth', when: null };
    await write(alertOf('a', report));
    await write(alertOf('b', { ...report, to: [...TO, { kind: 'email', to: 'ann@example.com' }] }));
    await hourLater();
    const notices = await world.control.alerts.runs.claimNotices(9, 1_000);
    expect(new Map(notices.map(({ id, notice }) => [id, notice.report]))).to.deep.equal(new Map([['a', null], ['b', SHOWN]])); // prettier-ignore
  });

  it('wait for their turn: a limit that is reached breaks nothing', async () => {
    await write(alertOf('a'));
    world.clock.time += HOUR;
    wait = 20_000;
    await look();
    expect(asked).to.deep.equal([]);
    wait = 0;
    answer = () => Promise.reject(new AppError('rate_limited', 'too many'));
    world.clock.time += 20_000;
    await look();
    answer = () => Promise.resolve(counted(7));
    world.clock.time += 29_000;
    await look();
    expect([asked.length, await runs()]).to.deep.equal([1, []]);
    world.clock.time += 1_000;
    await look();
    expect((await runs()).map(({ outcome }) => outcome)).to.deep.equal(['fired']);
  });

  it('keep their state while the project may not ask', async () => {
    await write(alertOf('a'));
    await hourLater();
    answer = () => Promise.reject(new AppError('suspended', 'This project is suspended.'));
    const { outcome, told } = await hourLater();
    expect([outcome, told.length]).to.deep.equal(['skipped', 0]);
    answer = () => Promise.resolve(counted(7));
    expect((await hourLater()).outcome).to.equal('firing');
  });

  it('send a report each time', async () => {
    await write(alertOf('a', { when: null }));
    for (let nth = 0; nth < 2; nth++) {
      const { outcome, saw, told } = await hourLater();
      expect([outcome, saw, told.length]).to.deep.equal(['report', '1 row', 1]);
    }
  });

  it('ask once after a clock has leapt over their hours, and do not sleep after it was set back', async () => {
    let steady = 0;
    const own = new AlertRunner({
      ...{ control: world.control, asking, lease: 60_000, log: silentLog(), pageUrl: (path) => path },
      ...{ now: world.clock.now, since: () => steady },
    });
    const lookOwn = async (): Promise<number> => {
      steady += 1_000;
      await own.look();
      await own.idle();
      return asked.length;
    };
    await write(alertOf('a'));
    expect(await lookOwn()).to.equal(0);
    world.clock.time += 5 * HOUR;
    expect(await lookOwn()).to.equal(1);
    expect(await lookOwn()).to.equal(1);
    world.clock.time -= 24 * HOUR;
    expect(await lookOwn()).to.equal(1);
    world.clock.time += HOUR;
    expect(await lookOwn()).to.equal(2);
    await own.close();
  });

  it('give back what they ask when the service ends, and ask after the next start', async () => {
    await write(alertOf('a'));
    world.clock.time += HOUR;
    const held = Promise.withResolvers<Envelope>();
    answer = () => held.promise;
    await runner.look();
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closing = runner.close();
    held.reject(new AppError('shutting_down', 'The service is shutting down.'));
    await closing;
    expect(await runs()).to.deep.equal([]);
    answer = () => Promise.resolve(counted(7));
    runner = newRunner();
    await look();
    expect((await runs()).map(({ outcome }) => outcome)).to.deep.equal(['fired']);
  });

  it('all finish when very many want to ask at nine, a few at a time, projects in turns', async () => {
    const each = tries(10); // 10,000 alerts take twenty times as long, and nothing else
    const projects: Project[] = [];
    for (let nth = 0; nth < 50; nth++) projects.push((await world.control.projects.create(world.organization.id, `P${nth}`, TESTER)).project); // prettier-ignore
    await world.control.together(async () => {
      for (const project of projects)
        for (let nth = 0; nth < each; nth++)
          await world.control.alerts.write(project, { alert: alertOf(`a${nth}`, { schedule: 'daily 09:00' }), yaml: '' }, TESTER); // prettier-ignore
    });
    world.clock.time += 21 * HOUR;
    let [running, most] = [0, 0];
    const order: string[] = [];
    answer = async ({ id }) => {
      most = Math.max(most, ++running);
      order.push(id);
      await Promise.resolve();
      running--;
      return counted(12);
    };
    await look();
    expect(order).to.have.length(50 * each);
    expect(most).to.be.at.most(4);
    expect(new Set(order.slice(0, 5 * each)).size, 'projects of the first tenth').to.be.above(20);
    expect(await world.control.alerts.runs.claim(1, 1_000)).to.deep.equal([]);
    const [run] = await world.control.alerts.runs.list(projects[49]!.id, `a${each - 1}`);
    expect(run?.outcome).to.equal('ok');
  }).timeout(120_000);
});
