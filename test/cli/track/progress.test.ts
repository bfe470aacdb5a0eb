import { expect } from 'chai';
import { progressText } from '../../../lib/cli/track/progress.ts';

describe('the line of progress', () => {
  it('has events, rate, retries, and with a size the share and the time that is left', () => {
    const standing = { events: 12_400, retries: 2, bytes: 410_000 };
    expect(progressText(standing, { seconds: 2, size: 1_000_000 })).to.equal('12,400 events  6,200/s  2 retries  41 %  ETA 0:03');
    expect(progressText(standing, { seconds: 2, size: null })).to.equal('12,400 events  6,200/s  2 retries');
    expect(progressText({ ...standing, retries: 1 }, { seconds: 2, size: 0 })).to.equal('12,400 events  6,200/s  1 retry');
    expect(progressText({ events: 5, retries: 0, bytes: 1 }, { seconds: 1, size: 7_384 })).to.equal('5 events  5/s  0 %  ETA 2:03:03');
    expect(progressText({ events: 5, retries: 0, bytes: 200 }, { seconds: 1, size: 100 })).to.equal('5 events  5/s  100 %  ETA 0:00');
    expect(progressText({ events: 1, retries: 0, bytes: 1 }, { seconds: 1, size: null })).to.equal('1 event  1/s');
  }); // prettier-ignore
});
