import fc from 'fast-check';
import { expect } from 'chai';
import { hashBytes } from '../../../lib/shards/hashing/hash.ts';
import { scanEvent } from '../../../lib/shards/ingest/scan/scan-event.ts';
import { ScannedEvent, SLOT } from '../../../lib/shards/ingest/scan/scanned-event.ts';

describe('hashBytes', () => {
  it('is the hash that the scanner computes', () => {
    const out = new ScannedEvent();
    const plain = fc.string({ unit: 'grapheme' }).filter((text) => !/["\\\p{Cc}]/u.test(text));
    fc.assert(
      fc.property(plain, fc.nat(5), (text, before) => {
        const head = `{"event_type":"e","event_properties":{${' '.repeat(before)}"a":"`;
        const bytes = Buffer.from(`${head}${text}"}}`);
        expect(scanEvent(bytes, 0, bytes.length, out), text).to.equal(bytes.length);
        expect(out.eventProperties.slots[SLOT.valueHash]).to.equal(hashBytes(bytes, head.length, bytes.length - 3));
      }),
      { numRuns: 2000 },
    );
  });

  it('does not depend on where the bytes lie', () => {
    const bytes = Buffer.from('xxabcdefghxxxabcdefgh');
    expect(hashBytes(bytes, 2, 10)).to.equal(hashBytes(bytes, 13, 21));
  });

  it('spreads texts that differ little over all its bits', () => {
    const low = new Map<number, number>();
    const high = new Map<number, number>();
    const all = new Set<number>();
    for (let i = 0; i < 65_536; i++) {
      const bytes = Buffer.from(`user-${i}`);
      const hash = hashBytes(bytes, 0, bytes.length);
      all.add(hash);
      low.set(hash & 1023, (low.get(hash & 1023) ?? 0) + 1);
      high.set(hash >>> 22, (high.get(hash >>> 22) ?? 0) + 1);
    }
    expect(all.size).to.be.above(65_500);
    for (const buckets of [low, high]) {
      expect(buckets.size).to.equal(1024); // 64 each on average
      expect(Math.max(...buckets.values())).to.be.below(130);
    }
  });

  it('tells texts apart that end in zeros', () => {
    const zeros = new Uint8Array(16);
    const hashes = Array.from({ length: 17 }, (_, length) => hashBytes(zeros, 0, length));
    expect(new Set(hashes).size).to.equal(17);
  });
});
