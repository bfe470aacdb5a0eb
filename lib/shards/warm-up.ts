/** What the first read of a thread would wait for, done before it comes. */
import Database from 'better-sqlite3';
import { decodeIntegers, encodeIntegers } from './encoding/integers.ts';

/** Widths that columns commonly have, in bits; each is decoded by code of its own. */
const WIDTHS = 21;
/** Not whole blocks: code that has seen only these is thrown away at the first column that is none. */
const VALUES = 2_000;
/** Times 8 blocks of VALUES: the engine optimises the code of a width after about 40 blocks. */
const ROUNDS = 8;

/** Loads SQLite, and has the loops that decode columns compiled. */
export function warmUpReading(): void {
  new Database(':memory:').close();
  for (let width = 0; width < WIDTHS; width++) {
    // Every block has the width: one of equal values would have none.
    const values = new Uint32Array(VALUES).map((_, i) => (i % 2) * (2 ** width - 1));
    const bytes = encodeIntegers(values);
    for (let round = 0; round < ROUNDS; round++) decodeIntegers(bytes);
  }
}
