import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Retries } from '../../lib/workers/retries.ts';

describe('queries that start again for want of memory', () => {
  const tenant = (orgId: string) => ({ id: orgId, orgId, weight: 1 });

  it('run one at a time, in turns of organizations by the time that they had', async () => {
    const [retries, began] = [new Retries(), new Array<string>()];
    let running = 0;
    await Promise.all(
      ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
        retries.run(tenant(name.slice(0, 1)), async () => {
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

  it('leave their turn to the next when they fail', async () => {
    const retries = new Retries();
    const failed = retries.run(tenant('a'), () => Promise.reject(new Error('no')));
    const next = retries.run(tenant('a'), () => Promise.resolve('done'));
    expect(await failed.catch(String)).to.equal('Error: no');
    expect(await next).to.equal('done');
    expect(await retries.run(tenant('b'), () => Promise.resolve('later'))).to.equal('later');
  });
});
