/**
 * Places of rows: rows of one user, device and session share a place, numbered by first appearance. What follows from these (the
 * ids themselves, and what mostly stays the same: country, browser, plan) is stored once per place, not per row.
 */
import { threshold } from '../../base/threshold.ts';
import { encodeIntegers } from './encoding/integers.ts';
import { encodePlaced } from './encoding/placed.ts';
import { mix } from '../hashing/mix.ts';

/** Codes of users, devices and sessions by row; 0 means none. */
export interface RowOwners {
  readonly users: Uint32Array;
  readonly devices: Uint32Array;
  readonly sessions: Uint32Array;
}

export interface Places {
  readonly ofRows: Uint32Array;
  /** The first row of each place. */
  readonly firsts: Uint32Array;
}

/** Bytes that places must save in a segment to be used. */
const SAVED = threshold('bytes that places save', 0, { least: -Infinity });
/** If more than one in so many rows differs from its place's code, the column does not follow from places. */
const EXCEPTIONS = threshold('rows an exception of a place', 8, { most: 8 });

export function placesOf({ users, devices, sessions }: RowOwners): Places {
  const rows = users.length;
  let size = 16;
  while (size < rows * 2) size *= 2;
  const slots = new Uint32Array(size); // place + 1; open addressing
  const firsts = new Uint32Array(rows);
  const ofRows = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const user = users[row]!;
    const device = devices[row]!;
    const session = sessions[row]!;
    let i = mix(session ^ mix(device ^ mix(user))) & (size - 1);
    for (; ; i = (i + 1) & (size - 1)) {
      const place = slots[i]! - 1;
      if (place < 0) {
        firsts[count] = row;
        slots[i] = ++count;
        break;
      }
      const first = firsts[place]!;
      if (users[first] === user && devices[first] === device && sessions[first] === session) break;
    }
    ofRows[row] = slots[i]! - 1;
  }
  return { ofRows, firsts: firsts.subarray(0, count) };
}

/** A code for each row, by place; null if codes do not follow from places. */
export function encodeByPlace(codes: Uint32Array, { ofRows, firsts }: Places): Uint8Array | null {
  const table = firsts.map((row) => codes[row]!);
  const most = codes.length / EXCEPTIONS.value;
  const rows: number[] = [];
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] === table[ofRows[row]!]) continue;
    if (rows.length >= most) return null;
    rows.push(row);
  }
  return encodePlaced(
    table,
    Uint32Array.from(rows),
    Uint32Array.from(rows, (row) => codes[row]!),
  );
}

/** The two possible forms of a column. */
export interface Forms {
  readonly plain: Uint8Array;
  /** null if it has only the plain form. */
  readonly placed: Uint8Array | null;
}

/** The shorter form of each column, and the places if any column needs them. */
export function chooseForms(
  forms: readonly Forms[],
  { ofRows }: Places,
): { readonly columns: readonly Uint8Array[]; readonly places: Uint8Array | null } {
  const shorter = forms.map(({ plain, placed }) =>
    placed !== null && plain.length - placed.length > SAVED.value ? placed : plain,
  );
  const saved = forms.reduce((sum, { plain }, i) => sum + plain.length - shorter[i]!.length, 0);
  const places = saved > SAVED.value ? encodeIntegers(ofRows) : null;
  if (places !== null && saved - places.length > SAVED.value) return { columns: shorter, places };
  return { columns: forms.map(({ plain }) => plain), places: null };
}
