/**
 * The rows of each event type, so that a query about one type does not read the type of every row. Types are concatenated,
 * ascending by code, in columns of up to GROUP rows; a type with more rows has its own column. SQLite reads a column as a whole,
 * so GROUP bounds what a query about a rare type reads, and there are few columns.
 *
 * The number of a column is its first type's code, negated: no field has such a number. Its bytes are integers: for each type the
 * first row, then differences. The segment's counts determine how many rows each type has, and which column a type is in.
 */
import { makeColumn, WORDS } from '../../primitives/columns.ts';
import { primitives, wordsAt } from '../../primitives/memory.ts';
import { decodeIntegersBriefly, encodeIntegers } from './encoding/integers.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { GrowableUint32 } from '../../base/growable.ts';

/** The types whose rows are in one column. */
export interface TypeGroup {
  readonly field: number;
  readonly rows: number;
  readonly types: TypeCounts;
}

/** Part of the format: changing it would make stored columns unreadable. */
const GROUP = 4096;

/** The columns of a segment with these types; none if all rows have the same type. */
export function typeGroups({ codes, rows }: TypeCounts): readonly TypeGroup[] {
  if (codes.length < 2) return [];
  const groups: TypeGroup[] = [];
  for (let from = 0, until: number; from < codes.length; from = until) {
    let sum = rows[from]!;
    for (until = from + 1; until < codes.length && sum + rows[until]! <= GROUP; until++) sum += rows[until]!;
    const types = { codes: codes.subarray(from, until), rows: rows.subarray(from, until) };
    groups.push({ field: -codes[from]!, rows: sum, types });
  }
  return groups;
}

/** @param codes The event type of each row. @param types Number of rows of each. */
export function encodeTypeRows(
  codes: Uint32Array,
  types: TypeCounts,
): { readonly field: number; readonly data: Uint8Array }[] {
  const groups = typeGroups(types);
  if (groups.length === 0) return [];
  const differences = differencesByType(codes, types);
  let from = 0;
  return groups.map(({ field, rows }) => ({
    field,
    data: encodeIntegers(differences.subarray(from, (from += rows))),
  }));
}

/** The rows of a type in the group, ascending. Throws if the column does not belong to the group. */
export function decodeTypeRows(column: Uint8Array, { field, rows, types }: TypeGroup, code: number): Uint32Array {
  const values = decodeIntegersBriefly(column);
  if (values.length !== rows) throw new Error(`column ${field} has ${values.length} rows instead of ${rows}`);
  let from = 0;
  for (let i = 0; i < types.codes.length; i++) {
    if (types.codes[i] === code) return sums(values, from, types.rows[i]!);
    from += types.rows[i]!;
  }
  throw new Error(`column ${field} has no rows of event type ${code}`);
}

function differencesByType(codes: Uint32Array, types: TypeCounts): Uint32Array {
  const most = types.codes.at(-1)!;
  const next = new Uint32Array(most + 1); // by code, the index of its next row
  const before = new Uint32Array(most + 1); // by code, its last row
  let from = 0;
  for (let i = 0; i < types.codes.length; i++) {
    next[types.codes[i]!] = from;
    from += types.rows[i]!;
  }
  const differences = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    differences[next[code]!++] = row - before[code]!;
    before[code] = row;
  }
  return differences;
}

/** Decoded differences, with an address → rows. */
function sums(differences: Uint32Array, from: number, count: number): Uint32Array {
  return makeColumn(WORDS, { room: count, length: count }, (out) => {
    wordsAt(out, count).set(differences.subarray(from, from + count));
    primitives.sumRows(out, count);
  });
}

/** Parallel arrays, ascending by code. */
export interface TypeCounts {
  readonly codes: Uint32Array;
  readonly rows: Uint32Array;
}

/** @param codes The event type of each row. */
export function countTypes(codes: ArrayLike<number>): TypeCounts {
  let most = 0;
  for (let row = 0; row < codes.length; row++) if (codes[row]! > most) most = codes[row]!;
  const counts = new Uint32Array(most + 1);
  for (let row = 0; row < codes.length; row++) counts[codes[row]!]!++;
  const present = new GrowableUint32();
  for (let code = 0; code <= most; code++) if (counts[code]! > 0) present.push(code);
  const own = present.values.slice(0, present.length);
  return { codes: own, rows: own.map((code) => counts[code]!) };
}

export function rowsOfType({ codes, rows }: TypeCounts, wanted: number): number {
  const at = lowerBound(codes, wanted);
  return codes[at] === wanted ? rows[at]! : 0;
}

/** Stored form: JSON, pairs of code and rows. */
export function encodeTypeCounts({ codes, rows }: TypeCounts): Uint8Array {
  let text = '[';
  for (let i = 0; i < codes.length; i++) text += `${i === 0 ? '' : ','}[${codes[i]!},${rows[i]!}]`;
  return new TextEncoder().encode(`${text}]`); // not from the shared buffer pool: it is transferred to another thread
}

/** Reads only the numbers: a million pairs as objects would take a hundred megabytes. */
export function decodeTypeCounts(text: string): TypeCounts {
  const numbers = new GrowableUint32();
  for (let i = 0, number = -1; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9) {
      number = Math.max(number, 0) * 10 + digit;
    } else if (number >= 0) {
      numbers.push(number);
      number = -1;
    }
  }
  if (numbers.length % 2 !== 0) throw new Error('the counts of event types are damaged');
  const pairs = numbers.values.subarray(0, numbers.length);
  const every = (from: number): Uint32Array =>
    Uint32Array.from({ length: pairs.length / 2 }, (_, i) => pairs[i * 2 + from]!);
  return { codes: every(0), rows: every(1) };
}
