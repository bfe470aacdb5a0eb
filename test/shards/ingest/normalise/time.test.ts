import { expect } from 'chai';
import fc from 'fast-check';
import { parseTime, parseTimeBytes } from '../../../../lib/shards/ingest/normalise/time.ts';

const iso = (value: unknown): string | null => {
  const time = parseTime(value);
  return time === null ? null : new Date(time).toISOString();
};

describe('parseTime', () => {
  const forms: [unknown, string][] = [
    ['2026-03-08T10:00:00Z', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08T10:00:00.5Z', '2026-03-08T10:00:00.500Z'],
    ['2026-03-08T10:00:00.1239999Z', '2026-03-08T10:00:00.123Z'],
    ['2026-03-08T10:00:00,25Z', '2026-03-08T10:00:00.250Z'],
    ['2026-03-08T10:00:00+01:30', '2026-03-08T08:30:00.000Z'],
    ['2026-03-08T10:00:00-0800', '2026-03-08T18:00:00.000Z'],
    ['2026-03-08T10:00:00+05', '2026-03-08T05:00:00.000Z'],
    ['2026-03-08T10:00:00', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08T10:00', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08 10:00:00', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08t10:00:00z', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08', '2026-03-08T00:00:00.000Z'],
    [' 2026-03-08 ', '2026-03-08T00:00:00.000Z'],
    ['20260308T101530Z', '2026-03-08T10:15:30.000Z'],
    ['20260308', '2026-03-08T00:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T15:59:60.5-08:00', '2017-01-01T00:00:00.500Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
    [1772964002, '2026-03-08T10:00:02.000Z'],
    [1772964002.0239, '2026-03-08T10:00:02.023Z'],
    [1772964003004, '2026-03-08T10:00:03.004Z'],
    [1772964003004.9, '2026-03-08T10:00:03.004Z'],
    ['1772964002', '2026-03-08T10:00:02.000Z'],
    [99_999_999_999, '5138-11-16T09:46:39.000Z'],
    [100_000_000_000, '1973-03-03T09:46:40.000Z'],
    [0, '1970-01-01T00:00:00.000Z'],
    [-0, '1970-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
  ];
  for (const [value, expected] of forms) {
    it(`reads ${JSON.stringify(value)}`, () => {
      expect(iso(value)).to.equal(expected);
    });
  }

  const none = [
    'yesterday', '', ' ', '2026', '2026-03', '2026-3-8', '2026-02-29', '2026-02-30', '2100-02-29', '2026-13-01', '2026-00-01', '2026-01-00',
    '2026-04-31T00:00:00Z', '2026-03-08T25:00:00Z', '2026-03-08T24:00:01Z', '2026-03-08T24:00:00.001Z', '2026-03-08T10:60:00Z',
    '2026-03-08T10:00:60Z', '2026-03-08T10:59:61Z', '2026-03-08T10:00:00+24:00', '2026-03-08T10:00:00+01:60', '2026-03-08T10:00:00.Z', '2026-03-08Z',
    '2026-0308', '202603-08', '2026-03-08T10:0000Z', '0000-01-01T00:00:00+01:00', `2026-03-08T10:00:00.${'1'.repeat(80)}Z`,
    Infinity, NaN, 1e300, -1e300, 253402300800000, null, undefined, true, {}, [], ['2026-03-08'],
  ]; // prettier-ignore
  for (const value of none) {
    it(`takes ${typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value)} for no time`, () => {
      expect(parseTime(value)).to.equal(null);
    });
  }

  it('agrees with Date on every date', () => {
    const date = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (d) => void expect(parseTime(d.toISOString())).to.equal(d.getTime() + 0)),
      { numRuns: 1000 },
    );
  });
});

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

  it('is the time of parseTime, or NaN where that must be asked', () => {
    fc.assert(
      fc.property(texts, fc.nat(3), (text, before) => {
        const bytes = Buffer.from(`${'"'.repeat(before)}${text}"`);
        const time = parseTimeBytes(bytes, before, before + text.length);
        const fast = /^[^Tt ]+T[\d:]{8}(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
        expect(time, text).to.deep.equal(fast ? (parseTime(text) ?? NaN) : NaN);
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
