import { expect } from 'chai';
import fc from 'fast-check';
import {
  hashKeys,
  isFilter,
  makeFilter,
  passingKeys,
  type CellBytes,
  type FuseFilter,
} from '../../../lib/shards/hashing/fuse-filter.ts';

const key = fc.tuple(fc.integer({ min: 0, max: 0xffffffff }), fc.integer({ min: 0, max: 0xffffffff }));
const bytes = fc.constantFrom(2 as const, 4 as const);

function filterOf(keys: readonly (readonly [number, number])[], width: CellBytes): ReturnType<typeof makeFilter> {
  const half = (at: 0 | 1): Uint32Array => Uint32Array.from(keys, (one) => one[at]);
  return makeFilter({ count: keys.length, high: half(0), low: half(1) }, width, 1);
}

function passes(filter: FuseFilter, high: number, low: number): boolean {
  return passingKeys(filter, hashKeys([high], [low], filter.seed)).length > 0;
}

describe('filters of keys', () => {
  it('pass every key that they were made of, whatever the keys are and however often they come', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 300 }), bytes, fc.nat(300), (some, width, repeated) => {
        const keys = [...some, ...some.slice(0, repeated)];
        const filter = filterOf(keys, width);
        expect(isFilter(filter)).to.equal(true);
        for (const [high, low] of keys) expect(passes(filter, high, low)).to.equal(true);
      }),
    );
  });

  it('tell of many keys at once which pass, in their order', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), fc.array(key, { maxLength: 60 }), bytes, (own, others, width) => {
        const filter = filterOf(own, width);
        const asked = others.flatMap((other, n) => (n < own.length ? [other, own[n]!] : [other]));
        const half = (at: 0 | 1): number[] => asked.map((one) => one[at]);
        const alone = asked.flatMap(([high, low], at) => (passes(filter, high, low) ? [at] : []));
        expect(passingKeys(filter, hashKeys(half(0), half(1), filter.seed))).to.deep.equal(alone);
      }),
    );
  });

  it('are found for counters under every seed, also where the first one fails', () => {
    const low = Uint32Array.from({ length: 3_000 }, (_, n) => n);
    for (const seed of [1218333409, 2162395217, 3528655151, 1409422832]) {
      const filter = makeFilter({ count: low.length, high: new Uint32Array(low.length), low }, 2, seed);
      expect(filter.seed, 'the first one fails').to.not.equal(seed);
      expect(low.every((one) => passes(filter, 0, one))).to.equal(true);
    }
  });

  it('pass counters of tens of thousands in either half, and no more strangers than cells of two bytes let pass', () => {
    const COUNT = 40_000;
    for (const shape of [(n: number) => [n, 0], (n: number) => [0, n], (n: number) => [n, n]] as const) {
      const keys = Array.from({ length: COUNT }, (_, n) => shape(n) as [number, number]);
      const filter = filterOf(keys, 2);
      for (const [high, low] of keys) expect(passes(filter, high, low)).to.equal(true);
      let strangers = 0;
      for (let n = 1; n <= COUNT; n++) if (passes(filter, n, 0x80000000 + n)) strangers++;
      expect(strangers).to.be.below(12); // 0.6 are expected
      expect(filter.cells.byteLength / COUNT).to.be.below(2.5);
    }
  });

  it('are found for every number of keys, also where the usual number of cells is hardly ever enough', () => {
    for (const count of [11_510, 11_519]) {
      const low = Uint32Array.from({ length: count }, (_, n) => n);
      for (let seed = 1; seed <= 6; seed++) {
        const filter = makeFilter({ count, high: new Uint32Array(count), low }, 2, seed * 7_919);
        expect(low.every((one) => passes(filter, 0, one))).to.equal(true);
        expect(filter.cells.length / count).to.be.below(1.5);
      }
    }
  });

  it('have the seed that was wished, or another word where keys with that find no places', () => {
    const keys = Array.from({ length: 5 }, (_, n) => [n, n] as const);
    const half = Uint32Array.from(keys, ([one]) => one);
    let wished = 0;
    for (let seed = 0xffffffff - 200; seed <= 0xffffffff; seed++) {
      const filter = makeFilter({ count: 5, high: half, low: half }, 2, seed);
      expect(filter.seed >>> 0).to.equal(filter.seed);
      if (filter.seed === seed) wished++;
      for (const [high, low] of keys) expect(passes(filter, high, low)).to.equal(true);
    }
    expect(wished, 'some failed at first, of 201').to.be.within(100, 200);
  });

  it('are none where cells and stretches do not fit together', () => {
    const cells = new Uint16Array(12);
    expect(isFilter({ seed: 1, stretch: 4, cells })).to.equal(true);
    for (const stretch of [0, 3, 5, 8, 1 << 17])
      expect(isFilter({ seed: 1, stretch, cells }), `${stretch}`).to.equal(false);
  });
});
