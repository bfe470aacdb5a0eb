/** A set of arrival numbers, a bit for each: events that are to be deleted, named without a word of what is in them. */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { kept } from '../../base/kept.ts';

/** Numbers in a block; events of one import follow each other, so most of its blocks are full and take a few bytes as text. */
const BLOCK = 65_536;
/** Bytes of a block. */
export const BLOCK_BYTES = BLOCK / 8;

/** The blocks by their number: plain data, which crosses threads. */
export type ArrivalBlocks = readonly (readonly [block: number, bits: Uint8Array<ArrayBuffer>])[];

export class ArrivalSet {
  readonly #blocks = new Map<number, Uint8Array<ArrayBuffer>>();

  /** The union of sets. */
  static of(sets: Iterable<ArrivalBlocks>): ArrivalSet {
    const all = new ArrivalSet();
    for (const blocks of sets) for (const [block, bits] of blocks) all.#join(block, bits);
    return all;
  }

  /** Reads what `texts` wrote, some or all of it. Throws if it is something else. */
  static parse(texts: readonly string[]): ArrivalSet {
    const all = new ArrivalSet();
    for (const text of texts) {
      const [, block = '', bits = ''] = /^(\d{1,12}):([\w+/=]*)$/.exec(text) ?? [];
      const bytes = inflateRawSync(Buffer.from(bits, 'base64'), { maxOutputLength: BLOCK_BYTES });
      if (block === '' || bytes.length !== BLOCK_BYTES) throw new Error('a set of arrival numbers is damaged');
      all.#join(Number(block), bytes);
    }
    return all;
  }

  get blocks(): ArrivalBlocks {
    return [...this.#blocks];
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#blocks.size * BLOCK_BYTES;
  }

  /** The number above all that are in it; 0 if it is empty. */
  get end(): number {
    const last = Math.max(-1, ...this.#blocks.keys());
    const bits = this.#blocks.get(last);
    if (bits === undefined) return 0;
    const byte = bits.findLastIndex((one) => one !== 0);
    return last * BLOCK + byte * 8 + (32 - Math.clz32(bits[byte] ?? 0));
  }

  get size(): number {
    let count = 0;
    for (const bits of this.#blocks.values()) for (const byte of bits) count += BITS[byte]!;
    return count;
  }

  has(arrival: number): boolean {
    const bits = this.#blocks.get(Math.floor(arrival / BLOCK));
    return bits !== undefined && (bits[(arrival % BLOCK) >>> 3]! & (1 << (arrival & 7))) !== 0;
  }

  add(arrival: number): void {
    const bits = kept(this.#blocks, Math.floor(arrival / BLOCK), () => new Uint8Array(BLOCK_BYTES));
    bits[(arrival % BLOCK) >>> 3]! |= 1 << (arrival & 7);
  }

  /** A text for each block, of at most some 11 KB. */
  texts(): string[] {
    const level = constants.Z_BEST_SPEED;
    return this.blocks
      .toSorted(([a], [b]) => a - b)
      .map(([block, bits]) => `${block}:${deflateRawSync(bits, { level }).toString('base64')}`);
  }

  #join(block: number, bits: Uint8Array): void {
    const own = kept(this.#blocks, block, () => new Uint8Array(BLOCK_BYTES));
    for (let i = 0; i < BLOCK_BYTES; i++) own[i]! |= bits[i]!;
  }
}

const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
