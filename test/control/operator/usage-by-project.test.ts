import { expect } from 'chai';
import { DAY_MS, utcDay } from '../../../lib/base/day.ts';
import { newWorld, TESTER, onPostgres } from '../open-control.ts';

describe('usage by project and day', () => {
  it('is read in steps, between which the event loop goes round, and in order', async () => {
    const { control, organization, project } = await newWorld();
    const days = Array.from({ length: 360 }, (_, n) => utcDay(n * DAY_MS));
    const ids = [project.id];
    for (let n = 1; n < 25; n++)
      ids.push((await control.projects.create(organization.id, `Blog ${n}`, TESTER, { exempt: true })).project.id);
    ids.sort();
    for (const day of days) for (const id of ids) control.usage.addQueries(id, day, 1, 1);
    const range = { from: days[0]!, to: days.at(-1)! };
    await control.usage.ofProject(project.id, range); // writes what waits
    const { result: lines, rounds } = await inRounds(() => control.operator.usageByProject(organization.id, range));
    expect(rounds).to.be.at.least(3); // 9,000 lines: at most 4,000 are read at once
    expect(lines.map(({ date, project_id: id }) => `${date} ${id}`)).to.deep.equal(
      days.flatMap((day) => ids.map((id) => `${day} ${id}`)),
    );
  });

  // Making so many projects takes a server of PostgreSQL a quarter of a minute.
  if (!onPostgres)
    it('is read in steps of many projects, too, in order and with deleted projects', async () => {
      const { control, organization, project } = await newWorld();
      const ids = [project.id];
      for (let n = 1; n < 4_100; n++)
        ids.push((await control.projects.create(organization.id, `Blog ${n}`, TESTER, { exempt: true })).project.id);
      await control.projects.delete(ids[7]!, TESTER);
      ids.sort();
      const days = ['2026-01-01', '2026-01-02'];
      const used = days.flatMap((day, nth) => ids.filter((_, n) => nth === 0 || n % 3 > 0).map((id) => `${day} ${id}`));
      for (const line of used) control.usage.addQueries(line.slice(11), line.slice(0, 10), 1, 1);
      const range = { from: days[0]!, to: days[1]! };
      await control.usage.ofProject(project.id, range); // writes what waits
      const { result: lines, rounds } = await inRounds(() => control.operator.usageByProject(organization.id, range));
      expect(rounds).to.be.at.least(3); // 4,100 projects of two days, 2,000 at once
      expect(lines.map(({ date, project_id: id }) => `${date} ${id}`)).to.deep.equal(used);
    });
});

/** What `run` resolves with, and how often the event loop went round meanwhile. */
async function inRounds<Result>(
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly rounds: number }> {
  let rounds = 0;
  let ticking = setImmediate(function tick() {
    rounds++;
    ticking = setImmediate(tick);
  });
  const result = await run();
  clearImmediate(ticking);
  return { result, rounds };
}
