/** What the first read of a thread would wait for, done before it comes. */
import Database from 'better-sqlite3';
import { decodeIntegers, encodeIntegers } from './encoding/integers.ts';

/** Widths that columns commonly have, in bits; each is decoded by code of its own. */
const WIDTHS = 21;
const VALUES = 2_048;
const ROUNDS = 8;

/** Loads SQLite, and has the loops that decode columns compiled. */
export function warmUpReading(): void {
  new Database(':memory:').close();
  for (let width = 0; width < WIDTHS; width++) {
    const values = new Uint32Array(VALUES).fill(2 ** width - 1);
    values[0] = 0;
    const bytes = encodeIntegers(values);
    for (let round = 0; round < ROUNDS; round++) decodeIntegers(bytes);
  }
}
