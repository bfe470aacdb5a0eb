import { expect } from 'chai';
import { IdleRhythm } from '../../../lib/shards/writer/idle-rhythm.ts';

describe('what nobody waits for', () => {
  it('is left alone in the two seconds after a start while messages come, and done if none come', () => {
    const rhythm = new IdleRhythm(1_000);
    expect(rhythm.allows(1_040)).to.equal(false);
    expect(rhythm.allows(1_201)).to.equal(true);
    rhythm.message(1_210);
    expect([rhythm.allows(1_400), rhythm.allows(1_411)]).to.deep.equal([false, true]);
    rhythm.message(2_990);
    expect([rhythm.allows(2_999), rhythm.allows(3_000)]).to.deep.equal([false, true]);
  });

  it('is done seldom while messages come, oftener the more the journal needs room, and at once when it is quiet', () => {
    const rhythm = new IdleRhythm(0);
    rhythm.message(5_000);
    const pauses = (now: number): number[] => [0, 0.001, 0.5, 1].map((left) => Math.round(rhythm.pause(left, now)));
    expect(pauses(5_100)).to.deep.equal([120, 40, 20, 2]);
    expect(pauses(5_201)).to.deep.equal([2, 2, 2, 2]);
    expect([rhythm.pause(false, 5_100), rhythm.pause(false, 9_000)]).to.deep.equal([1_000, 1_000]);
    expect(rhythm.pause(null, 5_100)).to.equal(40);
  });
});
