import fc from 'fast-check';
import { expect } from 'chai';
import { memoryAt, give, halvesAt, Lease, primitives, take, wordsAt } from '../../../lib/primitives/memory.ts';
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

/** The plain form of `packIntegers`, a block at a time. */
function packed(values: Uint32Array, mostExceptions: number): number[] {
  const blocks = Array.from({ length: Math.ceil(values.length / 256) }, (_, b) =>
    values.subarray(b * 256, b * 256 + 256),
  );
  const parts = { bases: [] as number[], widths: [] as number[], counts: [] as number[], bits: '' };
  const [places, exceptions]: [number[], number[]] = [[], []];
  for (const block of blocks) {
    const base = Math.min(...block);
    const wider = (width: number): number => block.filter((value) => value - base >= 2 ** width).length;
    const widths = Array.from({ length: 33 }, (_, n) => 32 - n).filter((width) => wider(width) <= mostExceptions);
    const cost = (width: number): number => width * 256 + wider(width) * 40;
    const width = widths.reduce((best, one) => (cost(one) < cost(best) ? one : best));
    parts.bases.push(base);
    parts.widths.push(width);
    parts.counts.push(wider(width));
    let bits = '';
    for (let i = 0; i < 256; i++) {
      const difference = i < block.length ? block[i]! - base : 0;
      const fits = difference < 2 ** width;
      if (!fits) {
        places.push(i);
        exceptions.push(block[i]!);
      }
      bits = (width === 0 ? '' : (fits ? difference : 0).toString(2).padStart(width, '0')) + bits;
    }
    parts.bits = bits + parts.bits;
  }
  const word = (value: number): number[] => [...new Uint8Array(Uint32Array.of(value).buffer)];
  const padded = (bytes: readonly number[]): number[] => [
    ...bytes,
    ...Array<number>((4 - (bytes.length % 4)) % 4).fill(0),
  ];
  const head = padded([...word(values.length), ...parts.bases.flatMap(word), ...parts.widths, ...parts.counts]);
  const packedBytes = (parts.bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)).toReversed();
  return [...head, ...packedBytes, ...padded(places), ...exceptions.flatMap(word)];
}

describe('primitives over integers', () => {
  it('pack blocks into the fewest bits, whatever number of exceptions a block may have', () => {
    fc.assert(
      fc.property(fc.oneof(columnOf(8), columnOf(32)), fc.oneof(fc.nat(3), fc.nat(255)), (values, mostExceptions) => {
        using lease = new Lease();
        const out = lease.bytes(Math.ceil(values.length / 256) * 1_030 + 8).fill(0xee);
        const { byteOffset } = lease.hold(values);
        const length = primitives.packIntegers(byteOffset, values.length, mostExceptions, out.byteOffset);
        expect(length).to.be.at.most(out.length);
        expect([...out.subarray(0, length)]).to.deep.equal(packed(values, mostExceptions));
      }),
      { numRuns: 200 },
    );
    expect([...encodeIntegers(new Uint32Array(0))]).to.deep.equal(packed(new Uint32Array(0), 255));
  });

  for (const [size, bits, view] of [
    [1, 8, memoryAt],
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
