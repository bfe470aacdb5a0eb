import { expect } from 'chai';
import fc from 'fast-check';
import type { TextList } from '../../../lib/shards/segment/encoding/texts.ts';
import { RecentLists, type ListHolder } from '../../../lib/shards/read/recent-lists.ts';

const listOf = (bytes: number): TextList => ({
  ...{ count: 1, types: new Uint8Array(1), ends: Uint32Array.of(bytes), bytes: new Uint8Array(bytes) },
});
/** Its own and its buffers'. */
const held = ({ list }: ListHolder): number => (list ? 1_024 + 5 + list.bytes.length : 0);
const holder = (): ListHolder => ({ list: null, used: false });

describe('recent lists of texts', () => {
  it('keep what is used and let go of the rest', () => {
    const recent = new RecentLists(3_500);
    const used = holder();
    recent.keep(used, listOf(100));
    const others = Array.from({ length: 20 }, () => {
      const other = holder();
      recent.keep(other, listOf(100));
      used.used = true;
      return other;
    });
    expect(used.list).not.to.equal(null);
    expect(others.filter(({ list }) => list !== null).length).to.be.within(1, 2);
    expect(others.at(-1)!.list).not.to.equal(null);
  });

  it('never hold more than they may, but for the newest one, whatever is read and forgotten', () => {
    const step = fc.tuple(fc.constantFrom('read', 'use', 'forget'), fc.nat(30), fc.integer({ min: 1, max: 4_000 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const recent = new RecentLists(10_000);
        const holders = Array.from({ length: 31 }, holder);
        for (const [what, at, bytes] of steps) {
          const one = holders[at]!;
          if (what === 'forget') recent.forget(new Set([one]));
          else if (one.list !== null) one.used = true;
          else if (what === 'read') recent.keep(one, listOf(bytes));
          const all = holders.reduce((sum, each) => sum + held(each), 0);
          expect(recent.bytes).to.equal(all);
          expect(all).to.be.at.most(10_000);
        }
      }),
    );
  });

  it('count a list by the buffers that it keeps, of which it may see a part', () => {
    const recent = new RecentLists(1 << 20);
    const buffer = new ArrayBuffer(64 << 10);
    recent.keep(holder(), { ...listOf(1), bytes: new Uint8Array(buffer, 100, 10) });
    expect(recent.bytes).to.be.at.least(buffer.byteLength);
  });
});
