import { expect } from 'chai';
import { DAY_MS, utcDay } from '../../../lib/base/day.ts';
import { newWorld, TESTER } from '../open-control.ts';

describe('usage by project and day', () => {
  it('is read in steps, between which the event loop goes round, and in order', async () => {
    const { control, organization, project } = await newWorld();
    const days = Array.from({ length: 360 }, (_, n) => utcDay(n * DAY_MS));
    const ids = [project.id];
    for (let n = 1; n < 25; n++)
      ids.push((await control.projects.create(organization.id, `Blog ${n}`, TESTER, true)).project.id);
    ids.sort();
    for (const day of days) for (const id of ids) control.usage.addQueries(id, day, 1, 1);
    const range = { from: days[0]!, to: days.at(-1)! };
    await control.usage.ofProject(project.id, range); // writes what waits
    let rounds = 0;
    let ticking = setImmediate(function tick() {
      rounds++;
      ticking = setImmediate(tick);
    });
    const lines = await control.operator.usageByProject(organization.id, range);
    clearImmediate(ticking);
    // 9,000 lines: at most 4,000 are read at once. Before that, those of a week are counted at once.
    expect(rounds).to.be.at.least(Math.ceil(days.length / 7) + 3);
    expect(lines.map(({ date, project_id: id }) => `${date} ${id}`)).to.deep.equal(
      days.flatMap((day) => ids.map((id) => `${day} ${id}`)),
    );
  });
});
