import { expect } from 'chai';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import type { RetentionRemoval } from '../../../lib/control/projects/retention-changes.ts';
import type { Project } from '../../../lib/control/types.ts';
import { retentionSchedule } from '../../../lib/server/retention-schedule.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { refusal } from '../../support/refusal.ts';
import { afterChange, DAY, HOUR, newWorld, nothingOlder, openControl, TESTER } from '../open-control.ts';

const removal = (days: number, confirmed: boolean, from: number | null = null): RetentionRemoval => ({
  ...{ from, days, events: 1234, confirmed },
});

async function updates(control: ControlDatabase, orgId: string): Promise<unknown[]> {
  const { entries } = await control.audit.page(orgId);
  return entries.flatMap(({ action, actor, changes }) => (action === 'project.update' ? [[actor, changes]] : []));
}

describe('a shorter retention', () => {
  const state = ({ settings, retention }: Project): unknown => [settings.retentionDays, retention.next?.retentionDays];

  it('that removes stored events is refused with how many, until it is confirmed; then it begins after a day', async () => {
    const { control, clock, project, organization } = await newWorld();
    const { id } = project;
    const ask = (confirmed: boolean) =>
      control.projects.change(id, { retentionDays: 7, timezone: 'Asia/Tokyo' }, TESTER, removal(7, confirmed));
    const refused = await refusal(() => ask(false));
    expect(refused).to.include({ code: 'conflict', events: 1234 });
    expect(refused.message).to.equal('1,234 stored events are older than 7 days and would be removed.');
    expect(await control.projects.get(id), 'nothing else was changed').to.deep.equal(project);
    const beginsAt = clock.time + DAY;
    const waiting = await ask(true);
    expect(waiting.settings).to.include({ retentionDays: null, timezone: 'Asia/Tokyo' });
    expect(waiting.retention).to.deep.equal({ next: { retentionDays: 7, beginsAt, events: 1234 }, last: null });
    clock.time += HOUR;
    expect(await ask(false), 'the same again changes nothing').to.deep.equal(waiting);
    expect(await control.projects.retention.begin(beginsAt - 1)).to.equal(0);
    expect(state(await control.projects.get(id))).to.deep.equal([null, 7]);
    expect(await control.projects.retention.begin(beginsAt)).to.equal(1);
    const begun = await control.projects.get(id);
    expect(begun.settings.retentionDays).to.equal(7);
    expect(begun.retention).to.deep.equal({ next: null, last: { retentionDays: 7, beginsAt, events: 1234 } });
    const at = new Date(beginsAt).toISOString();
    expect(await updates(control, organization.id)).to.deep.equal([
      ['windlass', { retention_days: { from: null, to: 7 } }],
      [
        'tester',
        {
          retention_days: { from: null, to: 7 },
          begins_at: { from: null, to: at },
          timezone: { from: 'UTC', to: 'Asia/Tokyo' },
        },
      ],
    ]);
  });

  it('is undone by a change to the old value, and replaced by another that begins a day after that', async () => {
    const { control, clock, project } = await newWorld();
    const { id } = project;
    await control.projects.change(id, { retentionDays: 30 }, TESTER, nothingOlder(30));
    const change = (retentionDays: number | null, of: RetentionRemoval | null = null) =>
      control.projects.change(id, { retentionDays }, TESTER, of);
    await change(7, removal(7, true, 30));
    clock.time += HOUR;
    const other = await change(3, removal(3, true, 30));
    expect(other.retention.next).to.deep.equal({ retentionDays: 3, beginsAt: clock.time + DAY, events: 1234 });
    expect(state(await change(30))).to.deep.equal([30, undefined]);
    clock.time += 2 * DAY;
    expect(await control.projects.retention.begin(clock.time)).to.equal(0);
    expect((await control.projects.get(id)).settings.retentionDays).to.equal(30);
    await change(7, removal(7, true, 30));
    expect(state(await change(90)), 'a longer one is at once, and ends what waits').to.deep.equal([90, undefined]);
    await change(7, removal(7, true, 90));
    await control.projects.change(id, { ipPolicy: 'none' }, TESTER);
    expect(state(await control.projects.get(id)), 'other settings leave it').to.deep.equal([90, 7]);
    await control.projects.delete(id, TESTER);
    clock.time += 2 * DAY;
    expect(await control.projects.retention.begin(clock.time), 'and it goes with its project').to.equal(0);
  });

  it('is at once where nothing is as old, and refused where the retention was changed since events were counted', async () => {
    const { control, project, folder, clock } = await newWorld();
    const { id } = project;
    const at = await control.projects.change(id, { retentionDays: 30 }, TESTER, nothingOlder(30));
    expect(state(at)).to.deep.equal([30, undefined]);
    const two = await openControl(folder, clock);
    await two.projects.change(id, { retentionDays: 20 }, TESTER, nothingOlder(20, 30));
    const late = () => control.projects.change(id, { retentionDays: 8 }, TESTER, nothingOlder(8, 30));
    expect((await refusal(late)).code, 'counted before the other').to.equal('conflict');
    for (const of of [null, removal(5, true, 30), removal(6, true, 20)])
      expect((await refusal(() => control.projects.change(id, { retentionDays: 5 }, TESTER, of))).code).to.equal(
        'conflict',
      );
  });

  it('begins once among several processes that are late for it, also after a restart', async () => {
    const { control, project, folder, clock, organization } = await newWorld();
    await control.projects.change(project.id, { retentionDays: 7 }, TESTER, removal(7, true));
    clock.time += 3 * DAY;
    const others = [await openControl(folder, clock), await openControl(folder, clock)];
    await Promise.all([control, ...others].map((one) => one.projects.retention.begin(clock.time)));
    expect(await updates(control, organization.id)).to.have.length(2);
    const [other] = others;
    const seen = await afterChange(
      () => other!.projects.get(project.id),
      ({ settings }) => settings.retentionDays === 7,
    );
    expect(seen.settings.retentionDays).to.equal(7);
  });

  it('does not begin early when the clock of a running service is set forward', async () => {
    const { control, project, clock } = await newWorld();
    await control.projects.change(project.id, { retentionDays: 7 }, TESTER, removal(7, true));
    let elapsed = 0;
    const parts = { control, log: silentLog(), now: clock.now, since: () => elapsed };
    const days = async (): Promise<number | null> => (await control.projects.get(project.id)).settings.retentionDays;
    const running = retentionSchedule(parts);
    clock.time += 30 * DAY;
    elapsed += DAY - HOUR;
    await running.run();
    expect(await days()).to.equal(null);
    clock.time -= 30 * DAY;
    elapsed += 2 * HOUR;
    await running.run();
    expect(await days(), 'nor while it is set back').to.equal(null);
    clock.time += DAY + HOUR;
    await running.run();
    expect(await days()).to.equal(7);
    await running.close();
  });
});
