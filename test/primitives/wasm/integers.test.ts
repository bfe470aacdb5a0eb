import { expect } from 'chai';
import fc from 'fast-check';
import { bytesAt, give, halvesAt, primitives, take, wordsAt } from '../../../lib/primitives/memory.ts';
import { encodeIntegers, openIntegers } from '../../../lib/shards/segment/encoding/integers.ts';

/** Blocks of values of one width each, with some outliers: every width up to `bits`. */
function columnOf(bits: number): fc.Arbitrary<Uint32Array> {
  const block = fc.record({
    width: fc.integer({ min: 0, max: bits }),
    base: fc.nat(3),
    seed: fc.nat(0xffffffff),
    outliers: fc.nat(4),
  });
  return fc.tuple(fc.array(block, { minLength: 1, maxLength: 4 }), fc.nat(255)).map(([blocks, less]) => {
    const values = new Uint32Array(blocks.length * 256 - less);
    for (let i = 0; i < values.length; i++) {
      const { width, base, seed, outliers } = blocks[i >>> 8]!;
      const noise = (Math.imul(i + 1, 2_654_435_761) ^ seed) >>> 0;
      const own = i % 64 < outliers ? bits : width;
      values[i] = Math.min(2 ** bits - 1, base + (noise % 2 ** own));
    }
    return values;
  });
}

describe('primitives over integers', () => {
  for (const [size, bits, view] of [
    [1, 8, bytesAt],
    [2, 16, halvesAt],
    [4, 32, wordsAt],
  ] as const) {
    it(`unpack what was packed into values of ${size} bytes, and find the largest, and the least but 0`, () => {
      fc.assert(
        fc.property(columnOf(bits), (values) => {
          const packed = openIntegers(encodeIntegers(values));
          const out = take(packed.room * size);
          packed.unpack(out, size);
          expect([...view(out, values.length)]).to.deep.equal([...values]);
          expect(primitives.largest(out, size, values.length)).to.equal(values.reduce((a, b) => Math.max(a, b), 0));
          const some = values.filter((value) => value !== 0);
          expect(primitives.leastSome(out, size, values.length)).to.equal(some.length === 0 ? 0 : Math.min(...some));
          give(out);
        }),
        { numRuns: 200 },
      );
    });
  }

  it('refuse a column that is cut off, or has widths that there are not', () => {
    const bytes = encodeIntegers(Uint32Array.from({ length: 700 }, (_, i) => (i % 100 === 0 ? 4_000_000_000 : i)));
    for (let length = 0; length < bytes.length; length++) {
      expect(() => openIntegers(bytes.slice(0, length)), `${length} bytes`).to.throw('damaged');
    }
    const wide = bytes.slice();
    wide[4 + 3 * 4] = 33;
    expect(() => openIntegers(wide)).to.throw('damaged');
  });
});
