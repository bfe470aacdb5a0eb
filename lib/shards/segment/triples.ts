/**
 * The triple of a row is its user, device and session; a segment numbers its triples by first appearance. What follows from a
 * triple (the ids themselves, and what mostly stays the same: country, browser, plan) is stored once per triple, not per row.
 */
import { threshold } from '../../base/threshold.ts';
import { gather } from './gather.ts';
import { encodeIntegers } from './encoding/integers.ts';
import { encodeCodesByTriple } from './encoding/by-triple.ts';
import { Lease } from '../../primitives/lease.ts';
import { primitives } from '../../primitives/memory.ts';

/** Codes of users, devices and sessions by row; 0 means none. */
export interface RowOwners {
  readonly users: Uint32Array;
  readonly devices: Uint32Array;
  readonly sessions: Uint32Array;
}

/** Arrays in the thread's memory. */
export interface Triples {
  readonly ofRows: Uint32Array;
  /** The first row of each. */
  readonly firsts: Uint32Array;
}

/** Bytes that triples must save in a segment to be used. */
const SAVED = threshold('bytes that triples save', 0, { least: -Infinity });
/** If more than one in so many rows differs from its triple's code, the column does not follow from triples. */
const EXCEPTIONS = threshold('rows an exception of a triple', 8, { most: 8 });

/** The triples of rows, in memory of the lease. */
export function triplesOf({ users, devices, sessions }: RowOwners, lease: Lease): Triples {
  using own = new Lease();
  const rows = users.length;
  let size = 16;
  while (size < rows * 2) size *= 2;
  const slots = own.noWords(size);
  const firsts = lease.words(rows);
  const ofRows = lease.words(rows);
  const count = primitives.numberTriples(
    own.hold(users).byteOffset,
    own.hold(devices).byteOffset,
    own.hold(sessions).byteOffset,
    rows,
    slots.byteOffset,
    size,
    firsts.byteOffset,
    ofRows.byteOffset,
  );
  return { ofRows, firsts: firsts.subarray(0, count) };
}

/** A code for each row, by triple; null if codes do not follow from triples. */
export function encodeByTriple(words: Uint32Array, { ofRows, firsts }: Triples): Uint8Array | null {
  using lease = new Lease();
  const codes = lease.hold(words);
  const table = gather(codes, firsts, lease);
  const most = Math.min(codes.length, Math.ceil(codes.length / EXCEPTIONS.value));
  const rows = lease.words(most);
  const [from, triples] = [table.byteOffset, ofRows.byteOffset];
  const count = primitives.pickUnlike(codes.byteOffset, codes.length, from, triples, most, rows.byteOffset);
  if (count > most) return null;
  const unlike = rows.subarray(0, count);
  return encodeCodesByTriple(table, unlike, gather(codes, unlike, lease));
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
