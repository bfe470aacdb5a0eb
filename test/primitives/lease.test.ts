import { expect } from 'chai';
import { bytesTaken, isInMemory, Lease } from '../../lib/primitives/memory.ts';

describe('arrays on lease', () => {
  it('are given back together', () => {
    const before = bytesTaken();
    {
      using lease = new Lease();
      lease.words(1_000);
      lease.hold(Float64Array.of(1, 2));
      expect(bytesTaken()).to.be.above(before + 4_000);
    }
    expect(bytesTaken()).to.equal(before);
  });

  it('are copies of those outside the memory, shared ones too, and those inside it themselves', () => {
    using lease = new Lease();
    const shared = new Uint32Array(new SharedArrayBuffer(8)).fill(7);
    expect(isInMemory(shared)).to.equal(false);
    const held = lease.hold(shared);
    expect(held).to.not.equal(shared);
    expect([...held]).to.deep.equal([7, 7]);
    expect(lease.hold(held)).to.equal(held);
    expect([...lease.hold(Uint8Array.of(1, 2, 3))]).to.deep.equal([1, 2, 3]);
    expect([...lease.noWords(3)]).to.deep.equal([0, 0, 0]);
  });

  it('are still of the memory when it has grown since', () => {
    using lease = new Lease();
    const early = lease.words(1).fill(5);
    lease.bytes(64 << 20);
    expect(isInMemory(early)).to.equal(true);
    expect([...early]).to.deep.equal([5]);
    expect(lease.hold(early)).to.equal(early);
  });
});
