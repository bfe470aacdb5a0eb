import { expect } from 'chai';
import fc from 'fast-check';
import { readTime } from '../../../../lib/base/read-time.ts';
import { scanEvent } from '../../../../lib/shards/ingest/scan/scan-event.ts';
import { ScannedEvent } from '../../../../lib/shards/ingest/scan/scanned-event.ts';

const out = new ScannedEvent();

/** The time of an event with a text as its time; NaN if the scanner leaves it to JSON.parse. */
function scannedTime(text: string): number {
  const bytes = Buffer.from(`{"event_type":"e","time":"${text}"}`);
  return scanEvent(bytes, 0, bytes.length, out) < 0 ? NaN : out.time;
}

describe('the times of scanned events', () => {
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

  it('are those of readTime, or left to it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const isOrdinary = /^[^Tt ]+T(?!24)\d\d:\d\d:(?!60)\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
        expect(scannedTime(text), text).to.deep.equal(isOrdinary ? (readTime(text) ?? NaN) : NaN);
      }),
      { numRuns: 3000 },
    );
  });
});
