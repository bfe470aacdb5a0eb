import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { TaskTurns } from '../../lib/base/task-turns.ts';

describe('fair turns', () => {
  const tenant = (orgId: string) => ({ id: orgId, orgId, weight: 1 });

  it('are had one at a time, by organizations according to the time that they had', async () => {
    const [turns, began] = [new TaskTurns({ atOnce: { all: 1 } }), new Array<string>()];
    let running = 0;
    await Promise.all(
      ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
        turns.run(tenant(name.slice(0, 1)), async () => {
          began.push(name);
          expect(++running).to.equal(1);
          await sleep(20);
          running--;
        }),
      ),
    );
    expect(began.slice(0, 3)).to.have.members(['a1', 'b1', 'c1']);
    expect(began.slice(3)).to.deep.equal(['a2', 'a3']);
  });

  it('go to the next when one fails', async () => {
    const turns = new TaskTurns({ atOnce: { all: 1 } });
    const failed = turns.run(tenant('a'), () => Promise.reject(new Error('no')));
    const next = turns.run(tenant('a'), () => Promise.resolve('done'));
    expect(await failed.catch(String)).to.equal('Error: no');
    expect(await next).to.equal('done');
    expect(await turns.run(tenant('b'), () => Promise.resolve('later'))).to.equal('later');
  });
});
