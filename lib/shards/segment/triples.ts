/**
 * The triple of a row is its user, device and session; a segment numbers its triples by first appearance. What follows from a
 * triple (the ids themselves, and what mostly stays the same: country, browser, plan) is stored once per triple, not per row.
 */
import { threshold } from '../../base/threshold.ts';
import { encodeIntegers } from './encoding/integers.ts';
import { encodeCodesByTriple } from './encoding/by-triple.ts';
import { mix } from '../hashing/mix.ts';

/** Codes of users, devices and sessions by row; 0 means none. */
export interface RowOwners {
  readonly users: Uint32Array;
  readonly devices: Uint32Array;
  readonly sessions: Uint32Array;
}

export interface Triples {
  readonly ofRows: Uint32Array;
  /** The first row of each. */
  readonly firsts: Uint32Array;
}

/** Bytes that triples must save in a segment to be used. */
const SAVED = threshold('bytes that triples save', 0, { least: -Infinity });
/** If more than one in so many rows differs from its triple's code, the column does not follow from triples. */
const EXCEPTIONS = threshold('rows an exception of a triple', 8, { most: 8 });

export function triplesOf({ users, devices, sessions }: RowOwners): Triples {
  const rows = users.length;
  let size = 16;
  while (size < rows * 2) size *= 2;
  const slots = new Uint32Array(size); // triple + 1; open addressing
  const firsts = new Uint32Array(rows);
  const ofRows = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const user = users[row]!;
    const device = devices[row]!;
    const session = sessions[row]!;
    let i = mix(session ^ mix(device ^ mix(user))) & (size - 1);
    for (; ; i = (i + 1) & (size - 1)) {
      const triple = slots[i]! - 1;
      if (triple < 0) {
        firsts[count] = row;
        slots[i] = ++count;
        break;
      }
      const first = firsts[triple]!;
      if (users[first] === user && devices[first] === device && sessions[first] === session) break;
    }
    ofRows[row] = slots[i]! - 1;
  }
  return { ofRows, firsts: firsts.subarray(0, count) };
}

/** A code for each row, by triple; null if codes do not follow from triples. */
export function encodeByTriple(codes: Uint32Array, { ofRows, firsts }: Triples): Uint8Array | null {
  const table = firsts.map((row) => codes[row]!);
  const most = codes.length / EXCEPTIONS.value;
  const rows: number[] = [];
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] === table[ofRows[row]!]) continue;
    if (rows.length >= most) return null;
    rows.push(row);
  }
  return encodeCodesByTriple(
    table,
    Uint32Array.from(rows),
    Uint32Array.from(rows, (row) => codes[row]!),
  );
}

/** The two possible forms of a column. */
export interface Forms {
  readonly plain: Uint8Array;
  /** null if it has only the plain form. */
  readonly byTriple: Uint8Array | null;
}

/** The shorter form of each column, and the triples if any column needs them. */
export function chooseForms(
  forms: readonly Forms[],
  { ofRows }: Triples,
): { readonly columns: readonly Uint8Array[]; readonly triples: Uint8Array | null } {
  const shorter = forms.map(({ plain, byTriple }) =>
    byTriple !== null && plain.length - byTriple.length > SAVED.value ? byTriple : plain,
  );
  const saved = forms.reduce((sum, { plain }, i) => sum + plain.length - shorter[i]!.length, 0);
  const triples = saved > SAVED.value ? encodeIntegers(ofRows) : null;
  if (triples !== null && saved - triples.length > SAVED.value) return { columns: shorter, triples };
  return { columns: forms.map(({ plain }) => plain), triples: null };
}
