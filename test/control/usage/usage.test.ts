import Database from 'better-sqlite3';
import { expect } from 'chai';
import { join } from 'node:path';
import { CONTROL_FILE, type ControlDatabase } from '../../../lib/control/database.ts';
import type { ProjectUsageRow } from '../../../lib/control/types.ts';
import { daysOf, parseUsageRange } from '../../../lib/control/usage/usage-range.ts';
import type { UsageTotals } from '../../../lib/base/usage-totals.ts';
import { afterChange, DAY, newWorld, openControl, TESTER, onPostgres } from '../open-control.ts';
import { refusal } from '../../support/refusal.ts';

const totals = (project: string, date: string, stored: number, bytesStored = 0): UsageTotals => ({
  project,
  date,
  eventsIngested: stored + 3,
  eventsStored: stored,
  eventsRejected: 1,
  eventsDuplicate: 2,
  eventsDropped: 1,
  timesReplaced: 6,
  fieldsIgnored: 7,
  valuesTrimmed: 4,
  idsIgnored: 5,
  bytesStored,
});

/** More than are written at a time. */
const DAYS = { from: '2025-01-01', to: '2025-06-30' };

const column = (rows: readonly ProjectUsageRow[], name: keyof ProjectUsageRow) => rows.map((row) => row[name]);

describe('usage', () => {
  it('has a row for every day of the range, named as the API names it', async () => {
    const { control, project } = await newWorld();
    control.usage.record(totals(project.id, '2026-01-02', 10, 4096));
    control.usage.addQueries(project.id, '2026-01-02', 2, 10.25);
    control.usage.addQueries(project.id, '2026-01-02', 1, 0.5);
    const rows = await control.usage.ofProject(project.id, { from: '2026-01-01', to: '2026-01-03' });
    expect(column(rows, 'date')).to.deep.equal(['2026-01-01', '2026-01-02', '2026-01-03']);
    expect(rows[1]).to.deep.equal({
      date: '2026-01-02',
      events_ingested: 13,
      events_stored: 10,
      events_rejected: 1,
      events_duplicate: 2,
      events_dropped: 1,
      times_replaced: 6,
      fields_ignored: 7,
      values_trimmed: 4,
      ids_ignored: 5,
      queries_run: 3,
      query_ms: 11,
      bytes_stored: 4096,
    });
  });

  it('tells of projects what they have stored on each of 14 days, and when last', async () => {
    const { control, organization, project } = await newWorld();
    const [quiet, empty] = [await control.projects.create(organization.id, 'Quiet', TESTER), await control.projects.create(organization.id, 'Empty', TESTER)];
    for (const [id, date, stored] of [
      [project.id, '2026-01-15', 5],
      [project.id, '2026-01-02', 7],
      [project.id, '2026-01-01', 9],
      [quiet.project.id, '2025-06-01', 1],
      [quiet.project.id, '2026-01-14', 0],
    ] as const)
      control.usage.record(totals(id, date, stored));
    control.usage.addQueries(empty.project.id, '2026-01-15', 2, 1);
    const found = await control.usage.activity([project.id, quiet.project.id, empty.project.id]);
    expect([...found]).to.have.deep.members([
      [project.id, { last: '2026-01-15', days: [7, ...Array<number>(12).fill(0), 5] }],
      [quiet.project.id, { last: '2025-06-01', days: Array<number>(14).fill(0) }],
    ]);
    expect(await control.usage.activityOfOrg(organization.id)).to.deep.equal(found.get(project.id));
    expect(await control.usage.activityOfOrg('org_none')).to.equal(null);
    expect((await control.usage.activity([])).size).to.equal(0);
  }); // prettier-ignore

  it('is not counted twice when it is told twice, before and after it was written', async () => {
    const { control, project } = await newWorld();
    const range = { from: '2026-01-02', to: '2026-01-02' };
    for (const stored of [5, 5, 8]) {
      control.usage.record(totals(project.id, '2026-01-02', stored));
      await control.flush();
      control.usage.record(totals(project.id, '2026-01-02', stored));
    }
    expect(column(await control.usage.ofProject(project.id, range), 'events_stored')).to.deep.equal([8]);
  });

  it('keeps the larger of two reports of nodes, whichever is written last', async () => {
    const { control, project } = await newWorld();
    const day = '2026-01-02';
    for (const stored of [5, 9, 7]) {
      control.usage.record({ ...totals(project.id, day, stored, stored), onlyGrows: true });
      await control.flush();
    }
    const rows = await control.usage.ofProject(project.id, { from: day, to: day });
    expect([column(rows, 'events_stored'), column(rows, 'events_ingested')]).to.deep.equal([[9], [12]]);
  });

  it('is added up where a report says that it is more, until the next that has all of the day', async () => {
    const { control, project } = await newWorld();
    const day = '2026-01-02';
    const more = (stored: number): void => control.usage.record({ ...totals(project.id, day, stored), isMore: true });
    const expectStored = async (stored: number, bytes: number): Promise<void> => {
      const rows = await control.usage.ofProject(project.id, { from: day, to: day });
      expect([rows[0]?.events_stored, rows[0]?.bytes_stored]).to.deep.equal([stored, bytes]);
    };
    more(1);
    await expectStored(1, 0);
    control.usage.record(totals(project.id, day, 5, 4096));
    more(2);
    more(3);
    await expectStored(10, 4096);
    more(4);
    more(5);
    await expectStored(19, 4096);
    more(6);
    control.usage.record(totals(project.id, day, 20, 8192));
    await expectStored(20, 8192);
  });

  it('keeps the size of a project on days without events, up to today', async () => {
    const { control, project } = await newWorld(); // today is 15 January
    control.usage.record(totals(project.id, '2026-01-05', 1, 100));
    control.usage.record(totals(project.id, '2026-01-08', 1, 70));
    control.usage.addQueries(project.id, '2026-01-09', 1, 1);
    const rows = await control.usage.ofProject(project.id, { from: '2026-01-04', to: '2026-01-17' });
    const bytes = [0, 100, 100, 100, 70, 70, 70, 70, 70, 70, 70, 70, 0, 0];
    expect(column(rows, 'bytes_stored')).to.deep.equal(bytes);
    const later = await control.usage.ofProject(project.id, { from: '2026-01-10', to: '2026-01-11' });
    expect(column(later, 'bytes_stored')).to.deep.equal([70, 70]);
  });

  it('survives the process', async () => {
    const { folder, control, project } = await newWorld();
    control.usage.record(totals(project.id, '2026-01-02', 5));
    await control.close();
    const rows = await (
      await openControl(folder)
    ).usage.ofProject(project.id, { from: '2026-01-02', to: '2026-01-02' });
    expect(column(rows, 'events_stored')).to.deep.equal([5]);
  });

  it('of many days is written in pieces, with time for others in between', async () => {
    const { control, project } = await newWorld();
    for (const [nth, date] of daysOf(DAYS).entries()) control.usage.record(totals(project.id, date, nth));
    let turns = 0;
    let flushed = false;
    const count = (): void => {
      turns += 1;
      if (!flushed) setImmediate(count);
    };
    setImmediate(count);
    await control.flush();
    flushed = true;
    expect(turns).to.be.at.least(2);
    const stored = column(await control.usage.ofProject(project.id, DAYS), 'events_stored');
    expect(stored).to.deep.equal(daysOf(DAYS).map((_, nth) => nth));
  });

  if (!onPostgres)
    it('of a piece that could not be written is kept with all later ones, and written with the next', async () => {
      const { folder, control, project } = await newWorld();
      const file = new Database(join(folder, CONTROL_FILE));
      file.exec(
        `CREATE TRIGGER full BEFORE INSERT ON usage WHEN NEW.date = '2025-04-01' BEGIN SELECT RAISE(FAIL, 'full'); END`,
      );
      for (const date of daysOf(DAYS)) control.usage.record(totals(project.id, date, 1));
      control.usage.addQueries(project.id, '2025-01-01', 2, 1);
      const more = { ...totals(project.id, '2025-04-03', 4), isMore: true };
      const flushed = control.flush().catch(String);
      await new Promise(setImmediate); // it has begun
      control.usage.record(more);
      expect(await flushed).to.match(/full/);
      file.exec('DROP TRIGGER full');
      file.close();
      control.usage.record(totals(project.id, '2025-04-02', 7));
      control.usage.record(more);
      const rows = await control.usage.ofProject(project.id, DAYS);
      const changed: Readonly<Record<string, number>> = { '2025-04-02': 7, '2025-04-03': 9 };
      const wanted = daysOf(DAYS).map((date) => changed[date] ?? 1);
      expect(column(rows, 'events_stored')).to.deep.equal(wanted);
      expect(rows[0]?.queries_run).to.equal(2);
    });

  it('of projects that never were is not kept', async () => {
    const { control } = await newWorld();
    control.usage.record(totals('prj_nobody', '2026-01-02', 5));
    control.usage.addQueries('prj_nobody', '2026-01-02', 5, 5);
    expect(
      (await control.usage.ofProject('prj_nobody', { from: '2026-01-02', to: '2026-01-02' }))[0]?.events_stored,
    ).to.equal(0);
  });
});

describe('usage of an organization', () => {
  it('with many projects is added up in steps, with time for others in between', async () => {
    const { control, organization } = await newWorld(); // today is 15 January
    const ids: string[] = [];
    await control.together(async () => {
      for (let nth = 0; nth < 120; nth++)
        ids.push((await control.projects.create(organization.id, `${nth}`, TESTER)).project.id);
    });
    for (const [nth, id] of ids.entries()) {
      for (const [date, bytes] of [
        ['2025-11-30', 1_000],
        ['2025-12-20', 5],
        ['2026-01-03', 70],
        ['2026-01-09', 40],
      ] as const)
        // prettier-ignore
        if ((nth + bytes) % 4 > 0) control.usage.record(totals(id, date, nth, bytes + nth));
      control.usage.addQueries(id, '2026-01-04', 1, 0.5);
    }
    const range = { from: '2026-01-01', to: '2026-01-20' };
    const each = await Promise.all(ids.map((id) => control.usage.ofProject(id, range)));
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { days, months } = await control.usage.ofOrg(organization.id, range);
    isDone = true;
    expect(turns, 'a thousand rows at a time').to.be.at.least(5);
    for (const name of ['events_stored', 'events_ingested', 'queries_run', 'bytes_stored'] as const)
      expect(column(days, name), name).to.deep.equal(
        days.map((_, day) => each.reduce((sum, rows) => sum + rows[day]![name], 0)),
      );
    const stored = days.reduce((sum, day) => sum + day.events_stored, 0);
    expect(months.map(({ month, events_stored: events }) => [month, events])).to.deep.equal([['2026-01', stored]]);
  });

  it('sums its projects, deleted ones included, and no others', async () => {
    const { control, organization, project } = await newWorld();
    const second = (await control.projects.create(organization.id, 'Second', TESTER)).project;
    const foreign = (
      await control.projects.create((await control.organizations.create('Other')).organization.id, 'F', TESTER)
    ).project;
    control.usage.record(totals(project.id, '2026-01-10', 10, 1000));
    control.usage.record(totals(second.id, '2026-01-11', 5, 200));
    control.usage.record(totals(foreign.id, '2026-01-10', 99, 9999));
    await control.projects.delete(project.id, TESTER);
    const { days } = await control.usage.ofOrg(organization.id, { from: '2026-01-10', to: '2026-01-11' });
    expect(column(days, 'events_stored')).to.deep.equal([10, 5]);
    expect(column(days, 'bytes_stored')).to.deep.equal([1000, 1200]);
  });

  it('has no bytes of a deleted project from the last word of its writer on', async () => {
    const { control, organization, project } = await newWorld();
    control.usage.record(totals(project.id, '2026-01-10', 10, 1000));
    await control.projects.delete(project.id, TESTER);
    control.usage.record(totals(project.id, '2026-01-12', 12, 1000));
    const { days } = await control.usage.ofOrg(organization.id, { from: '2026-01-10', to: '2026-01-12' });
    expect(column(days, 'bytes_stored')).to.deep.equal([1000, 1000, 0]);
    expect(column(days, 'events_stored')).to.deep.equal([10, 0, 12]);
  });

  it('has no bytes of a deleted project once its events are gone', async () => {
    const { control, organization, project } = await newWorld(); // today is 15 January
    control.usage.record(totals(project.id, '2026-01-10', 10, 1000));
    await control.projects.delete(project.id, TESTER);
    await control.projects.markPurged(project.id);
    const { days } = await control.usage.ofOrg(organization.id, { from: '2026-01-14', to: '2026-01-15' });
    expect(column(days, 'bytes_stored')).to.deep.equal([1000, 0]);
  });

  it('bills whole months beyond ten million events, 5 dollars a million, not rounded', async () => {
    const { control, organization, project } = await newWorld();
    control.usage.record(totals(project.id, '2025-12-01', 10_000_000));
    control.usage.record(totals(project.id, '2025-12-31', 1_234_567));
    control.usage.record(totals(project.id, '2026-01-01', 4));
    const { months } = await control.usage.ofOrg(organization.id, { from: '2025-12-31', to: '2026-01-02' });
    expect(months).to.deep.equal([
      { month: '2025-12', events_stored: 11_234_567, billable_events: 1_234_567, amount_usd: 6.172835 },
      { month: '2026-01', events_stored: 4, billable_events: 0, amount_usd: 0 },
    ]);
  });
});

describe('the bill of a month', () => {
  it('is nothing for the first ten million events, and begins with the next', async () => {
    const { control, organization, project } = await newWorld();
    const second = (await control.projects.create(organization.id, 'Second', TESTER)).project;
    const month = async (): Promise<unknown> =>
      (await control.usage.ofOrg(organization.id, { from: '2026-01-01', to: '2026-01-01' })).months[0];
    control.usage.record(totals(project.id, '2026-01-31', 9_999_999));
    control.usage.record(totals(second.id, '2026-01-01', 1));
    expect(await month()).to.deep.include({ events_stored: 10_000_000, billable_events: 0, amount_usd: 0 });
    control.usage.record(totals(second.id, '2026-01-01', 2));
    expect(await month()).to.deep.include({ events_stored: 10_000_001, billable_events: 1, amount_usd: 0.000005 });
    control.usage.record(totals(second.id, '2026-01-01', 1_000_001));
    expect(await month()).to.deep.include({ billable_events: 1_000_000, amount_usd: 5 });
  });
});

/** What an organization may still store this month; null: anything. */
async function left(control: ControlDatabase, orgId: string): Promise<number | null> {
  const use = await control.allowance.ofOrganization(orgId);
  return use === null ? null : Math.max(0, use.limit - use.used);
}

describe('the monthly limit of events', () => {
  it('is none until it is set, counts what the month has stored, and is seen at once', async () => {
    const { folder, clock, control, organization, project } = await newWorld();
    expect(await left(control, organization.id)).to.equal(null);
    control.usage.record(totals(project.id, '2025-12-31', 1000));
    control.usage.record(totals(project.id, '2026-01-01', 60));
    await control.flush();
    await (await openControl(folder, clock)).organizations.setLimits(organization.id, { eventsPerMonth: 100 }, TESTER);
    const remaining = (): Promise<number | null> => left(control, organization.id);
    expect(await afterChange(remaining, (left) => left !== null)).to.equal(40);
    await control.organizations.setLimits(organization.id, { eventsPerMonth: 50 }, TESTER);
    expect(await left(control, organization.id)).to.equal(0);
    await control.organizations.setLimits(organization.id, { eventsPerMonth: null }, TESTER);
    expect(await left(control, organization.id)).to.equal(null);
  });

  it('follows new events within a second, and starts again with the month', async () => {
    const { clock, control, organization, project } = await newWorld();
    await control.organizations.setLimits(organization.id, { eventsPerMonth: 100 }, TESTER);
    expect(await left(control, organization.id)).to.equal(100);
    control.usage.record(totals(project.id, '2026-01-15', 30));
    await control.flush();
    clock.time += 1000;
    expect(await left(control, organization.id)).to.equal(70);
    clock.time += 20 * DAY;
    expect(await left(control, organization.id)).to.equal(100);
  });

  it('adds up many rows less often than few: a millisecond later for each 50, and counts what is accepted at once', async () => {
    const { clock, control, organization, project } = await newWorld();
    await control.organizations.setLimits(organization.id, { eventsPerMonth: 1000 }, TESTER);
    await control.together(async () => {
      for (let nth = 0; nth < 100; nth++) {
        const { id } = (await control.projects.create(organization.id, `${nth}`, TESTER)).project;
        for (const date of daysOf({ from: '2026-01-01', to: '2026-01-15' })) control.usage.record(totals(id, date, 0));
      }
    });
    await control.flush();
    const remaining = (): Promise<number | null> => left(control, organization.id);
    expect(await remaining()).to.equal(1000);
    control.usage.record(totals(project.id, '2026-01-16', 30));
    await control.flush();
    control.allowance.accept({ id: project.id, orgId: organization.id }, 7);
    clock.time += 1000 + 1500 / 50 - 1;
    expect(await remaining()).to.equal(993);
    clock.time += 1;
    expect(await remaining()).to.equal(970);
  });
});

describe('the range of a usage request', () => {
  const now = Date.UTC(2026, 1, 10, 23, 59);

  it('is the current month up to today when nothing is asked', () => {
    expect(parseUsageRange({}, now)).to.deep.equal({ from: '2026-02-01', to: '2026-02-10' });
    expect(parseUsageRange({ from: '2026-01-31' }, now)).to.deep.equal({ from: '2026-01-31', to: '2026-02-10' });
  });

  it('may have 366 days and not one more', async () => {
    expect(parseUsageRange({ from: '2024-01-01', to: '2024-12-31' }, now).to).to.equal('2024-12-31');
    expect((await refusal(() => parseUsageRange({ from: '2024-01-01', to: '2025-01-01' }, now))).code).to.equal(
      'bad_request',
    );
    expect((await refusal(() => parseUsageRange({ from: '0001-01-01' }, now))).code).to.equal('bad_request');
  });

  it('refuses dates that are none and ranges that run backwards', async () => {
    for (const from of ['2026-02-30', '2026-13-01', '2026-1-1', 'today', '', '2026-02-01T00:00:00Z', '2026-02-11']) {
      expect((await refusal(() => parseUsageRange({ from }, now))).code, from).to.equal('bad_request');
    }
  });
});
