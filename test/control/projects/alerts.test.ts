import { expect } from 'chai';
import type { Alert } from '../../../lib/alerts/alert.ts';
import type { Notice } from '../../../lib/alerts/notice.ts';
import type { DueAlert, Finished } from '../../../lib/control/projects/alert-runs.ts';
import { MAX_ALERTS } from '../../../lib/control/projects/alerts.ts';
import { afterChange, DAY, HOUR, newWorld, openControl, TESTER, type World } from '../open-control.ts';

const alertOf = (id: string, parts: Partial<Alert> = {}): Alert => ({
  ...{ id, title: id, description: null, schedule: 'every 1h', timezone: null, query: 'signup', dashboard: null },
  ...{ when: 'no rows', to: [{ kind: 'webhook', to: 'https://example.com' }], paused: false },
  ...parts,
});

const NOTICE: Notice = {
  ...{ kind: 'fired', id: 'msg_1', at: 0, saw: 'user ann', project: { id: 'p', name: 'P' } },
  ...{ alert: { id: 'a', title: 'A', description: null }, url: '', columns: ['user'], rows: [{ user: 'ann' }], total: 1 },
  report: null,
}; // prettier-ignore

const LEASE = 60_000;

describe('stored alerts', () => {
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
  });

  const write = (alert: Alert, yaml = alert.id) => world.control.alerts.write(world.project, { alert, yaml }, TESTER);
  const claim = (most = 16): Promise<readonly DueAlert[]> => world.control.alerts.runs.claim(most, LEASE);
  const finish = (due: DueAlert, parts: Partial<Finished> = {}): Promise<boolean> =>
    world.control.alerts.runs.finish(due, {
      ...{ outcome: 'ok', saw: 'x', state: 'ok', nextAt: world.clock.time + HOUR, tell: null },
      ...parts,
    });
  const one = async (id: string) => (await world.control.alerts.find(world.project.id, id))!;

  it('are saved in versions, in the audit trail; what is unchanged adds none', async () => {
    const { outcome, stored } = await write(alertOf('a'));
    expect([outcome, stored.version, stored.state, stored.nextAt]).to.deep.equal(['created', 1, 'ok', world.clock.time + HOUR]);
    expect((await write(alertOf('a'))).outcome).to.equal('unchanged');
    const second = await write(alertOf('a', { title: 'Second', schedule: 'daily 18:00' }), 'second');
    expect([second.outcome, second.stored.version, second.stored.nextAt]).to.deep.equal(['changed', 2, world.clock.time + 6 * HOUR]);
    expect((await world.control.alerts.find(world.project.id, 'a', 1))?.alert.title).to.equal('a');
    expect(await world.control.alerts.delete(world.project, 'a', TESTER)).to.equal(true);
    expect(await world.control.alerts.delete(world.project, 'a', TESTER)).to.equal(false);
    const { entries } = await world.control.audit.page(world.organization.id, { limit: 3 });
    expect(entries.map(({ target }) => target.split('/').slice(1).join('/'))).to.deep.equal(['alert:a/deleted', 'alert:a/version:2', 'alert:a/version:1']);
  }); // prettier-ignore

  it('ask at times of the zone of the project, unless they have their own', async () => {
    await world.control.projects.change(world.project.id, { timezone: 'Europe/Berlin' }, TESTER);
    const project = await world.control.projects.get(world.project.id);
    const timed = alertOf('a', { schedule: 'daily 18:00' });
    const { stored } = await world.control.alerts.write(project, { alert: timed, yaml: '1' }, TESTER);
    expect(stored.nextAt).to.equal(Date.UTC(2026, 0, 15, 17));
    const own = await world.control.alerts.write(project, { alert: { ...timed, timezone: 'UTC' }, yaml: '2' }, TESTER);
    expect(own.stored.nextAt).to.equal(Date.UTC(2026, 0, 15, 18));
    expect((await write(alertOf('b', { paused: true }))).stored.nextAt).to.equal(null);
  });

  it('are so many at most', async () => {
    for (let nth = 0; nth < MAX_ALERTS; nth++) await write(alertOf(`a${nth}`));
    const refused = await write(alertOf('one-more')).catch(String);
    expect(refused).to.include(`a project may have ${MAX_ALERTS} alerts`);
    expect((await write(alertOf('a0'), 'changed')).outcome).to.equal('changed');
  });

  it('are taken by one node each when their time has come, and again when it has died', async () => {
    await write(alertOf('a'));
    expect(await claim()).to.deep.equal([]);
    world.clock.time += HOUR;
    const other = await openControl(world.folder, world.clock);
    const both = await Promise.all([claim(), other.alerts.runs.claim(16, LEASE)]);
    expect(both.flat().map(({ id }) => id)).to.deep.equal(['a']);
    world.clock.time += LEASE - 1;
    expect(await claim()).to.deep.equal([]);
    world.clock.time += 1;
    expect(await claim()).to.have.length(1);
  });

  it('ask once for all the times that nobody was there', async () => {
    await write(alertOf('a'));
    world.clock.time += 5 * HOUR;
    const [due] = await claim();
    expect(await finish(due!)).to.equal(true);
    expect(await claim()).to.deep.equal([]);
  });

  it('are taken in turns of projects', async () => {
    const { project } = await world.control.projects.create(world.organization.id, 'Other', TESTER);
    for (const id of ['a', 'b', 'c', 'd']) await write(alertOf(id));
    await world.control.alerts.write(project, { alert: alertOf('z'), yaml: '' }, TESTER);
    world.clock.time += HOUR;
    expect((await claim(2)).map(({ id }) => id)).to.have.members(['a', 'z']);
    expect((await claim(9)).map(({ id }) => id)).to.have.members(['b', 'c', 'd']);
  });

  it('are taken in turns of organizations, however many projects one has, and told so, too', async () => {
    const { organization } = await world.control.organizations.create('Small');
    const { project: small } = await world.control.projects.create(organization.id, 'Small', TESTER);
    const projects = [small];
    for (let nth = 0; nth < 20; nth++) projects.push((await world.control.projects.create(world.organization.id, `P${nth}`, TESTER)).project); // prettier-ignore
    for (const project of projects)
      await world.control.alerts.write(project, { alert: alertOf('a'), yaml: '' }, TESTER);
    world.clock.time += HOUR;
    const first = await claim(2);
    expect(first.map(({ projectId }) => projectId)).to.include(small.id);
    const tell = { notice: NOTICE, to: [{ kind: 'webhook', to: 'https://example.com' }] } as const;
    for (const due of [...(await claim(99)), ...first]) await finish(due, { tell });
    const told = await world.control.alerts.runs.claimNotices(2, LEASE);
    expect(told.map(({ projectId }) => projectId)).to.include(small.id);
  });

  it('keep their state and since when; what was changed or deleted meanwhile records nothing', async () => {
    await write(alertOf('a'));
    world.clock.time += HOUR;
    const [due] = await claim();
    await finish(due!, { outcome: 'fired', state: 'firing' });
    expect(await one('a')).to.include({ state: 'firing', since: world.clock.time });
    const since = world.clock.time;
    world.clock.time += HOUR;
    const [next] = await claim();
    await finish(next!, { outcome: 'firing', state: 'firing' });
    expect(await one('a')).to.include({ state: 'firing', since });
    world.clock.time += HOUR;
    const [late] = await claim();
    await write(alertOf('a'), 'changed');
    expect(await finish(late!, { outcome: 'over', state: 'ok' })).to.equal(false);
    expect(await one('a')).to.include({ state: 'firing', version: 2 });
    await world.control.alerts.delete(world.project, 'a', TESTER);
    expect(await finish(late!)).to.equal(false);
  });

  it('keep their last 50 runs', async () => {
    await write(alertOf('a'));
    for (let nth = 1; nth <= 53; nth++) {
      world.clock.time += HOUR;
      const [due] = await claim();
      await finish(due!, { saw: `${nth}${'x'.repeat(5_000)}` });
    }
    const runs = await world.control.alerts.runs.list(world.project.id, 'a');
    expect(runs).to.have.length(50);
    expect([runs[0]?.number, runs.at(-1)?.number]).to.deep.equal([53, 4]);
    expect(runs[0]?.saw).to.have.length(2_000).and.match(/^53/);
  });

  it('record what they saw whatever characters events have', async () => {
    await write(alertOf('a'));
    world.clock.time += HOUR;
    const [due] = await claim();
    const notice = { ...NOTICE, rows: [{ user: 'a\0\ud800b' }] };
    expect(await finish(due!, { saw: 'user a\0\ud800b', tell: { notice, to: [] } })).to.equal(true);
    const [run] = await world.control.alerts.runs.list(world.project.id, 'a');
    expect(run?.saw).to.equal('user a\ufffdb');
  });

  it('ask at once when somebody wants it, and then when it is their time', async () => {
    await write(alertOf('a', { paused: true }));
    expect(await world.control.alerts.askNow(world.project.id, 'b')).to.equal(false);
    expect(await world.control.alerts.askNow(world.project.id, 'a')).to.equal(true);
    expect((await claim()).map(({ id }) => id)).to.deep.equal(['a']);
  });

  it('do not sleep when a clock is set back', async () => {
    world.clock.time += 30 * DAY;
    await write(alertOf('a'));
    await write(alertOf('b'));
    await world.control.alerts.askNow(world.project.id, 'b');
    const [due] = await claim();
    await finish(due!, { tell: { notice: NOTICE, to: [{ kind: 'webhook', to: 'https://example.com' }] } });
    world.clock.time -= 30 * DAY;
    expect(await world.control.alerts.runs.claimNotices(9, LEASE)).to.deep.equal([]);
    await world.control.alerts.reschedule(LEASE);
    expect((await one('a')).nextAt).to.equal(world.clock.time + HOUR);
    expect(await world.control.alerts.runs.claimNotices(9, LEASE)).to.have.length(1);
    await world.control.alerts.reschedule(LEASE);
    expect((await one('a')).nextAt).to.equal(world.clock.time + HOUR);
  });

  it('are not taken from a node that asks when another one starts', async () => {
    await write(alertOf('a', { schedule: 'every 1m' }));
    world.clock.time += HOUR;
    const [due] = await world.control.alerts.runs.claim(1, 10 * LEASE);
    await world.control.alerts.reschedule(10 * LEASE);
    expect(await finish(due!)).to.equal(true);
  });

  it('go with their project', async () => {
    await write(alertOf('a'));
    world.clock.time += HOUR;
    const [due] = await claim();
    await finish(due!, { tell: { notice: NOTICE, to: [{ kind: 'webhook', to: 'https://example.com' }] } });
    await world.control.projects.delete(world.project.id, TESTER);
    expect(await world.control.alerts.exist()).to.equal(false);
    expect(await world.control.alerts.runs.claimNotices(9, LEASE)).to.deep.equal([]);
  });

  describe('what is to be told', () => {
    const target = { kind: 'webhook', to: 'https://example.com' } as const;
    beforeEach(async () => {
      await write(alertOf('a'));
      world.clock.time += HOUR;
      const [due] = await claim();
      await finish(due!, {
        outcome: 'fired',
        state: 'firing',
        saw: 'user ann',
        tell: { notice: NOTICE, to: [target] },
      });
    });

    it('is taken by one node, and again when that has died or was not taken', async () => {
      const other = await openControl(world.folder, world.clock);
      const both = await Promise.all([world.control.alerts.runs.claimNotices(9, LEASE), other.alerts.runs.claimNotices(9, LEASE)]); // prettier-ignore
      const [due, ...more] = both.flat();
      expect(more).to.deep.equal([]);
      expect(due).to.deep.include({ tries: 0, notice: NOTICE, told: [{ ...target, state: 'waiting', answer: null }] });
      await world.control.alerts.runs.told(
        due!,
        [{ ...target, state: 'waiting', answer: '500' }],
        world.clock.time + 5_000,
      );
      expect(await world.control.alerts.runs.claimNotices(9, LEASE)).to.deep.equal([]);
      world.clock.time += 5_000;
      const again = await afterChange(() => other.alerts.runs.claimNotices(9, LEASE), (found) => found.length > 0); // prettier-ignore
      expect(again[0]).to.deep.include({ tries: 1, told: [{ ...target, state: 'waiting', answer: '500' }] });
      await other.alerts.runs.told(again[0]!, [{ ...target, state: 'delivered', answer: '200' }], null);
      world.clock.time += DAY;
      expect(await world.control.alerts.runs.claimNotices(9, LEASE)).to.deep.equal([]);
      const [run] = await world.control.alerts.runs.list(world.project.id, 'a');
      expect(run).to.deep.include({ outcome: 'fired', dueAt: null, told: [{ ...target, state: 'delivered', answer: '200' }] }); // prettier-ignore
    });

    it('is taken in turns of projects: whoever has much to tell keeps nobody else waiting', async () => {
      const { project } = await world.control.projects.create(world.organization.id, 'Other', TESTER);
      for (const id of ['b', 'c', 'd']) await write(alertOf(id));
      await world.control.alerts.write(project, { alert: alertOf('z'), yaml: '' }, TESTER);
      world.clock.time += HOUR;
      const tell = { notice: NOTICE, to: [target] };
      const all = (await claim()).toSorted((one, other) => one.id.localeCompare(other.id));
      for (const due of all) {
        world.clock.time += 1;
        await finish(due, { tell });
      }
      const ids = (await world.control.alerts.runs.claimNotices(2, LEASE)).map(({ id }) => id);
      expect(ids).to.have.members(['a', 'z']);
      expect(await world.control.alerts.runs.claimNotices(9, LEASE)).to.have.length(4);
    });

    it('leaves the answer out where too much waits', async () => {
      const large = { ...NOTICE, project: { id: world.project.id, name: 'P' }, rows: [{ user: 'x'.repeat(9 << 20) }] };
      for (let nth = 0; nth < 2; nth++) {
        world.clock.time += HOUR;
        const [due] = await claim();
        await finish(due!, { tell: { notice: large, to: [target] } });
      }
      const notices = await world.control.alerts.runs.claimNotices(9, LEASE);
      const newest = notices.toSorted((one, other) => one.number - other.number).slice(1);
      expect(newest.map(({ notice: { rows } }) => rows.length)).to.deep.equal([1, 0]);
      expect(newest[1]?.notice.saw).to.equal('user ann (without the answer: too much waits to be told)');
    });

    it('names nobody who was erased while it was asked', async () => {
      world.clock.time += HOUR;
      const [due] = await claim();
      await world.control.alerts.runs.forget(world.project.id);
      const tell = { notice: NOTICE, to: [target] };
      expect(await finish(due!, { outcome: 'over', state: 'ok', saw: 'user ann', tell })).to.equal(true);
      const [run] = await world.control.alerts.runs.list(world.project.id, 'a');
      const notices = await world.control.alerts.runs.claimNotices(9, LEASE);
      expect([run?.outcome, notices.length]).to.deep.equal(['over', 2]);
      expect(JSON.stringify([run, notices])).to.not.include('ann');
    });

    it('names nobody who is erased, and is told all the same', async () => {
      await world.control.alerts.runs.forget(world.project.id);
      const [run] = await world.control.alerts.runs.list(world.project.id, 'a');
      const [due] = await world.control.alerts.runs.claimNotices(9, LEASE);
      expect(JSON.stringify([run, due])).to.not.include('ann');
      expect(due?.notice).to.deep.include({ kind: 'fired', rows: [], saw: 'forgotten, as a person was erased' });
    });
  });
});
