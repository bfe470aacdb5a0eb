import { expect } from 'chai';
import { MinuteShare } from '../../../lib/router/limits/tenant-load.ts';

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
