import { expect } from 'chai';
import fc from 'fast-check';
import { decodeIntegers, encodeIntegers, openIntegers } from '../../../lib/shards/segment/encoding/integers.ts';
import { decodeNumbers, encodeNumbers } from '../../../lib/shards/segment/encoding/numbers.ts';
import { joinSections, splitSections } from '../../../lib/shards/segment/encoding/sections.ts';
import {
  decodeSequence,
  encodeNearlyConsecutive,
  encodeRising,
} from '../../../lib/shards/segment/encoding/sequences.ts';
import { decodeTexts, encodeTexts } from '../../../lib/shards/segment/encoding/texts.ts';
import { decodeNarrow } from '../../../lib/shards/segment/decode.ts';

const integer = fc.oneof(
  fc.nat(3),
  fc.nat(300),
  fc.nat(70_000),
  fc.nat(0xffffffff),
  fc.constantFrom(0, 1, 0xffffffff, 0x80000000),
);

function decoded(bytes: Uint8Array): number[] {
  return [...decodeIntegers(bytes)];
}

const noPlaces = (): never => {
  throw new Error('no column here goes by places');
};

describe('encodings of columns', () => {
  it('give integers back, of every width and with outliers', () => {
    fc.assert(
      fc.property(fc.array(integer, { maxLength: 700 }), (values) => {
        expect(decoded(encodeIntegers(Uint32Array.from(values)))).to.deep.equal(values);
      }),
    );
    for (let width = 0; width <= 32; width++) {
      const most = 2 ** width - 1;
      const values = Uint32Array.from({ length: 600 }, (_, i) => (i * 2654435761) % (most + 1));
      expect(decoded(encodeIntegers(values)), `width ${width}`).to.deep.equal([...values]);
    }
  });

  it('pay little for a few outliers among small integers', () => {
    const values = new Uint32Array(25_600).map((_, i) => (i % 50 === 0 ? 4_000_000_000 : i % 8));
    expect(encodeIntegers(values).length).to.be.below(values.length * 0.6);
  });

  it('take next to nothing for a column of one value', () => {
    expect(encodeIntegers(new Uint32Array(262_144).fill(7)).length).to.be.below(8_000);
  });

  it('read integers from bytes that are not aligned', () => {
    const bytes = encodeIntegers(Uint32Array.of(5, 6, 7));
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(decoded(shifted.subarray(1))).to.deep.equal([5, 6, 7]);
  });

  it('tell what no integer is above, and decode codes into the narrowest array', () => {
    const few = fc.array(integer, { maxLength: 700 });
    const limit = fc.constantFrom(0, 1, 254, 255, 256, 257, 65_534, 65_535, 65_536, 65_537);
    const near = fc.tuple(limit, fc.array(fc.nat(3), { minLength: 1, maxLength: 600 }));
    const close = near.map(([most, below]) => below.map((less) => Math.max(0, most - less)));
    fc.assert(
      fc.property(fc.oneof(few, close), (values) => {
        const bytes = encodeIntegers(Uint32Array.from(values));
        const largest = Math.max(0, ...values);
        expect(openIntegers(bytes).bound).to.be.at.least(largest);
        const codes = decodeNarrow(bytes, noPlaces);
        expect([...codes]).to.deep.equal(values);
        expect(codes.BYTES_PER_ELEMENT).to.equal(largest > 0xffff ? 4 : largest > 0xff ? 2 : 1);
      }),
      { numRuns: 500 },
    );
  });

  it('give every bit of a float back', () => {
    const float = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer().map((cents) => cents / 100),
      fc.integer(),
    );
    fc.assert(
      fc.property(fc.array(float, { maxLength: 600 }), (values) => {
        const clean = Float64Array.from(values, (value) => value + 0); // without -0: ingest makes it 0
        expect(decodeNumbers(encodeNumbers(clean))).to.deep.equal(clean);
      }),
    );
  });

  it('store amounts with two decimals as small integers', () => {
    const amounts = Float64Array.from({ length: 10_000 }, (_, i) => (i % 5000) / 100);
    expect(encodeNumbers(amounts).length).to.be.below(amounts.length * 2);
  });

  it('give rising times and nearly consecutive arrivals back', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000_000_000_000), { maxLength: 600 }), (values) => {
        const rising = Float64Array.from(values).sort();
        expect(decodeSequence(encodeRising(rising))).to.deep.equal(rising);
        expect(decodeSequence(encodeNearlyConsecutive(Float64Array.from(values)))).to.deep.equal(
          Float64Array.from(values),
        );
      }),
    );
    const consecutive = Float64Array.from({ length: 262_144 }, (_, i) => 9e15 - 300_000 + i);
    expect(encodeNearlyConsecutive(consecutive).length).to.be.below(8_000);
    expect(decodeSequence(encodeNearlyConsecutive(consecutive))).to.deep.equal(consecutive);
  });

  it('give typed texts back', () => {
    const text = fc.record({ type: fc.nat(4), text: fc.string({ unit: 'grapheme', maxLength: 20 }) });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 100 }), (texts) => {
        const buffers = texts.map((entry) => Buffer.from(entry.text));
        let end = 0;
        const list = {
          count: texts.length,
          types: Uint8Array.from(texts, (entry) => entry.type),
          ends: Uint32Array.from(buffers, (buffer) => (end += buffer.length)),
          bytes: new Uint8Array(Buffer.concat(buffers)),
        };
        expect(decodeTexts(encodeTexts(list))).to.deep.equal(list);
      }),
    );
  });

  it('refuse sections that end behind their column', () => {
    const bytes = joinSections([Uint8Array.of(1, 2, 3)]);
    expect(splitSections(bytes).map((section) => [...section])).to.deep.equal([[1, 2, 3]]);
    expect(() => splitSections(bytes.subarray(0, 8))).to.throw('ends behind');
  });
});
