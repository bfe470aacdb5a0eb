import { expect } from 'chai';
import fc from 'fast-check';
import { readTime } from '../../../../lib/base/read-time.ts';
import { parseTimeBytes } from '../../../../lib/shards/ingest/scan/json-bytes.ts';

describe('parseTimeBytes', () => {
  const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
  const likely = (max: number): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0')) },
      { weight: 1, arbitrary: two },
    );
  const texts = fc
    .tuple(
      fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0')),
      fc.tuple(likely(12), likely(31), likely(23), likely(59), likely(59)),
      fc.oneof(fc.constantFrom('', '.', '.x'), fc.stringMatching(/^\.\d{1,9}$/)),
      fc.oneof(
        fc.constantFrom('Z', 'z', '', '+0100', ' Z'),
        fc.tuple(fc.constantFrom('+', '-'), likely(23), likely(59)).map(([s, h, m]) => `${s}${h}:${m}`),
      ),
      fc.constantFrom('T', 'T', 'T', 't', ' '),
    )
    .map(
      ([year, [month, day, hour, minute, second], fraction, zone, t]) =>
        `${year}-${month}-${day}${t}${hour}:${minute}:${second}${fraction}${zone}`,
    );

  it('is the time of readTime, or NaN where that must be asked', () => {
    fc.assert(
      fc.property(texts, fc.nat(3), (text, before) => {
        const bytes = Buffer.from(`${'"'.repeat(before)}${text}"`);
        const time = parseTimeBytes(bytes, before, before + text.length);
        const fast = /^[^Tt ]+T[\d:]{8}(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
        expect(time, text).to.deep.equal(fast ? (readTime(text) ?? NaN) : NaN);
      }),
      { numRuns: 3000 },
    );
  });

  it('is NaN of anything else, without reading beyond the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(parseTimeBytes(bytes, 0, bytes.length)).to.deep.equal(NaN);
        expect(parseTimeBytes(bytes, 0, bytes.length + 30)).to.deep.equal(NaN);
      }),
    );
  });
});
