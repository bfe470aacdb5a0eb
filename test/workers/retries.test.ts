import { expect } from 'chai';
import { Retries } from '../../lib/workers/retries.ts';

describe('queries that start again for want of memory', () => {
  /** Begins one of an organization; it ends when `end` is called with its name. */
  const begin = (retries: Retries, began: string[], name: string): (() => Promise<void>) => {
    let end = (): void => undefined;
    const over = retries.run(name.slice(0, 1), async () => {
      began.push(name);
      await new Promise<void>((resolve) => (end = resolve));
    });
    return async () => {
      end();
      await over;
    };
  };

  it('run one at a time of an organization, and do not wait for those of another', async () => {
    const [retries, began] = [new Retries(), new Array<string>()];
    const [endA1] = ['a1', 'a2', 'a3', 'b1'].map((name) => begin(retries, began, name));
    await Promise.resolve();
    expect(began).to.deep.equal(['a1', 'b1']);
    await endA1!();
    expect(began).to.deep.equal(['a1', 'b1', 'a2']);
  });

  it('run a few at a time of all, and who has just had a turn is the last to have the next', async () => {
    const [retries, began] = [new Retries(), new Array<string>()];
    const [endA1] = ['a1', 'a2', 'b1', 'c1', 'd1', 'e1', 'f1'].map((name) => begin(retries, began, name));
    await Promise.resolve();
    expect(began).to.deep.equal(['a1', 'b1', 'c1', 'd1']);
    await endA1!();
    expect(began.slice(4)).to.deep.equal(['e1']);
  });

  it('leave their turn to the next when they fail', async () => {
    const retries = new Retries();
    const failed = retries.run('a', () => Promise.reject(new Error('no')));
    const next = retries.run('a', () => Promise.resolve('done'));
    expect(await failed.catch(String)).to.equal('Error: no');
    expect(await next).to.equal('done');
  });
});
