import { expect } from 'chai';
import { newWorld, openControl } from '../open-control.ts';

describe('the log of erased users that nodes share', () => {
  it('has what each of them has erased, by project, oldest first', async () => {
    const { control, folder, clock } = await newWorld();
    const [one, other] = [control.erasedUsers, (await openControl(folder, clock)).erasedUsers];
    const erased = (user: string, devices: readonly string[] = []) => ({ at: 5, user, devices, upTo: 7 });
    await one.add('prj_a', erased('ann', ['d1', 'd"2']));
    await other.add('prj_a', erased('bob'));
    await one.add('prj_a', erased('ann'));
    await other.add('prj_b', erased('eve'));
    for (const log of [one, other]) {
      expect(await log.ofProject('prj_a')).to.deep.equal([erased('ann', ['d1', 'd"2']), erased('bob'), erased('ann')]);
      expect([...(await log.projects())].sort()).to.deep.equal(['prj_a', 'prj_b']);
      expect(await log.ofProject('prj_c')).to.deep.equal([]);
    }
  });
});
