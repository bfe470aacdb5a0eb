import { expect } from 'chai';
import { MinuteShare, TenantLoad } from '../../../lib/router/limits/tenant-load.ts';

describe("the largest project's share", () => {
  it('is of the last whole minute, and 0 when nothing was in it', () => {
    let now = 5_000;
    const share = new MinuteShare(() => now);
    share.add('a', 3);
    share.add('b', 1);
    expect(share.largest, 'the minute is not over').to.equal(0);
    now += 60_000;
    expect(share.largest).to.equal(0.75);
    share.add('b', 10);
    now += 59_999;
    expect(share.largest, 'of the minute before').to.equal(0.75);
    now += 1;
    expect(share.largest).to.equal(1);
    now += 60_000;
    expect(share.largest).to.equal(0);
    share.add('a', 1);
    now += 500_000;
    expect(share.largest, 'long ago').to.equal(0);
  });
});

describe('the largest projects', () => {
  it('are those with the largest shares of events and of query time together, and no more than asked for', () => {
    const load = new TenantLoad();
    load.events('many events', 1_000);
    load.query('slow', 5_000);
    for (let nth = 0; nth < 100; nth++) load.events(`small ${nth}`, 1);
    load.query('small 7', 100);
    load.received('small 7', 12);
    const ids = (most: number): readonly string[] => load.largest(most).map(([id]) => id);
    expect(ids(3)).to.deep.equal(['slow', 'many events', 'small 7']);
    expect(ids(0)).to.deep.equal([]);
    expect(ids(1_000).length).to.equal(102);
    expect(load.largest(3)[2]?.[1]).to.deep.equal({ bytes: 12, events: 1, queries: 1, queryMs: 100, refused: 0 });
  });
});
