/** Scans a JSON string of plain bytes: no escapes, no control characters, valid UTF-8. */
import { SEED, finishHash, hashBytes, mixWord } from '../../hashing/hash.ts';
import type { ScanSource } from './source.ts';
import { utf8Length } from './utf8.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Offset of the closing quote of the text that begins at `at` (after its opening quote), or -1 if it is not plain or not closed
 * before the end of the source. Its hash is in `source.hash[0]`.
 *
 * The loop tests four bytes at a time. Byte by byte it would be:
 *   for (; ; at++) { b = bytes[at]; if (b is a quote, a backslash, below 32 or above 127) break; hash(b) }
 * `(x - 0x01010101) & ~x` has the top bit set of each byte of x that is 0 (bytes above the first such byte may be wrong, but only
 * the lowest one is used); likewise 0x20202020 finds bytes below 32.
 */
export function scanText(source: ScanSource, at: number): number {
  const view = source.view;
  const lastWord = source.lastWord;
  let hash = SEED;
  let next = at;
  for (; next <= lastWord; next += 4) {
    const word = view.getInt32(next, true);
    const quote = word ^ 0x22222222;
    const slash = word ^ 0x5c5c5c5c;
    const found =
      (((quote - 0x01010101) & ~quote) | ((slash - 0x01010101) & ~slash) | ((word - 0x20202020) & ~word) | word) &
      0x80808080;
    if (found === 0) {
      hash = mixWord(hash, word);
      continue;
    }
    const bit = 31 - Math.clz32(found & -found); // 7, 15, 23 or 31: the byte's top bit
    const end = next + (bit >>> 3);
    const stop = (word >>> (bit - 7)) & 0xff;
    if (stop !== QUOTE) return stop >= 0x80 ? scanUnicode(source, at, end) : -1;
    source.hash[0] = finishHash(hash, word & ((1 << (bit - 7)) - 1), end - at);
    return end;
  }
  return scanUnicode(source, at, next);
}

/** Like `scanText`, but byte by byte; bytes before `from` are plain ASCII. For non-ASCII texts and the end of a source. */
function scanUnicode(source: ScanSource, at: number, from: number): number {
  const bytes = source.bytes;
  let next = from;
  while (next < bytes.length) {
    const byte = bytes[next]!;
    if (byte >= 0x80) {
      const length = utf8Length(bytes, next);
      if (length === 0) return -1;
      next += length;
    } else if (byte === QUOTE) {
      source.hash[0] = hashBytes(bytes, at, next);
      return next;
    } else if (byte < 0x20 || byte === BACKSLASH) {
      return -1;
    } else {
      next++;
    }
  }
  return -1;
}
