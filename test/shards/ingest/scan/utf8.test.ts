import { expect } from 'chai';
import fc from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { utf8Length } from '../../../../lib/shards/ingest/scan/json-bytes.ts';

/** The length of the first character by the platform's check; 0 if the bytes do not begin with one. */
function checkedLength(bytes: Uint8Array): number {
  return [2, 3, 4].find((length) => length <= bytes.length && isUtf8(bytes.subarray(0, length))) ?? 0;
}

describe('utf8Length', () => {
  it('agrees with the platform on every pair of first bytes', () => {
    for (let first = 0x80; first < 256; first++) {
      for (let second = 0; second < 256; second++) {
        for (const tail of [[], [0x80], [0x80, 0xbf], [0xbf, 0x41], [0x41, 0x80]]) {
          const bytes = Uint8Array.of(first, second, ...tail);
          if (utf8Length(bytes, 0) !== checkedLength(bytes)) expect.fail(`differs on ${[...bytes].join(' ')}`);
        }
      }
    }
  });

  it('gives the length of every character', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0x80, max: 0x10ffff }).filter((code) => code < 0xd800 || code > 0xdfff),
        (code) => {
          const bytes = Buffer.from(String.fromCodePoint(code));
          expect(utf8Length(bytes, 0)).to.equal(bytes.length);
        },
      ),
    );
  });
});
