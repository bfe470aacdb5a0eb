/**
 * The hash of a text's bytes that the scanner computes while reading, four bytes per step. The steps are those of MurmurHash3
 * (x86, 32 bits), but each word is first mixed with a secret of the process, so that nobody outside can construct collisions.
 * Equal bytes have equal hashes within a process; hashes must never be stored or sent to another process.
 */
import { randomInt } from 'node:crypto';
import { finish, step } from './text-hash.ts';

// Programs that hash nothing are bundled without them, and need not load Node's cryptography.
export const SEED: number = /* @__PURE__ */ randomWord();
export const SECRET: number = /* @__PURE__ */ randomWord();

function randomWord(): number {
  return randomInt(2 ** 32) | 0;
}

/** Hash of bytes[start, end), a signed 32-bit number. Start with `SEED`, mix every whole word, finish with the rest. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = mixWord(hash, bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
  }
  let rest = 0;
  for (let shift = 0; at < end; at++, shift += 8) rest |= bytes[at]! << shift;
  return finishHash(hash, rest, end - start);
}

/** The hash after another word of four bytes, little-endian. */
function mixWord(hash: number, word: number): number {
  return step(hash, word ^ SECRET);
}

/** The hash of a text whose last 0 to 3 bytes are `rest` (little-endian, zero above) and whose length in bytes is `length`. */
function finishHash(hash: number, rest: number, length: number): number {
  return finish(mixWord(hash, rest) ^ length) | 0;
}

/** Strings as bytes, for lookups, in one reused buffer: `bytes[0, write(text))`. */
export class ScratchText {
  bytes: Buffer = Buffer.alloc(4096);

  /** Returns the length in bytes (UTF-8). Overwrites the previous text. */
  write(text: string): number {
    if (text.length * 3 > this.bytes.length) this.bytes = Buffer.alloc(text.length * 3);
    return this.bytes.write(text, 0, 'utf8');
  }
}

/** The text of bytes[start, end), which are UTF-8. */
export const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
