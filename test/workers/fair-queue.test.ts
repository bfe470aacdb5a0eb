import { expect } from 'chai';
import { FairQueue } from '../../lib/workers/fair-queue.ts';

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('FairQueue', () => {
  it('lets projects take turns, first come first served within each', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.charAt(0), item);
    expect(queue.size).to.equal(6);
    expect(drain(queue)).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.size).to.equal(0);
  });

  it('takes an item out wherever it stands', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'b1']) queue.push(item.charAt(0), item);
    expect([queue.remove('a2'), queue.remove('b1'), queue.remove('b1')]).to.deep.equal([true, true, false]);
    expect(drain(queue)).to.deep.equal(['a1']);
  });
});
