import { expect } from 'chai';
import { SharedLock } from '../../lib/clickhouse/ingest/project-lock.ts';
import type { ControlDatabase } from '../../lib/control/database.ts';
import { newWorld, openControl } from '../control/open-control.ts';
import { refusal } from '../support/refusal.ts';

describe('the lock of a project that nodes share', () => {
  const lockOf = ({ ingestTurns: turns }: ControlDatabase, last = 0): SharedLock =>
    new SharedLock({
      turns,
      last: () => Promise.resolve(last),
      onTrouble: (error) => {
        throw error;
      },
    });

  it('lets one in at a time, with numbers that nobody had', async () => {
    const { control, folder, clock } = await newWorld();
    const nodes = [lockOf(control, 40), lockOf(await openControl(folder, clock), 40)];
    let inside = 0;
    const numbers: number[] = [];
    const use = async (first: number): Promise<void> => {
      expect(++inside).to.equal(1);
      numbers.push(first, first + 1);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all(Array.from({ length: 12 }, (_, at) => nodes[at % 2]!.hold('prj_a', 2, use)));
    expect(numbers).to.deep.equal(Array.from({ length: 24 }, (_, at) => 41 + at));
  });

  it('is given back by what fails, and waited for where a node was killed', async () => {
    const { control } = await newWorld();
    const lock = lockOf(control);
    const failed = await refusal(() => lock.hold('prj_a', 1, () => control.projects.get('prj_nobody')));
    expect(failed.code).to.equal('not_found');
    await control.ingestTurns.take('prj_a', { holder: 'killed', count: 5, lease: 60 });
    expect(await lock.hold('prj_a', 1, (first) => Promise.resolve(first))).to.equal(7);
  });
});
