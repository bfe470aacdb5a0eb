/**
 * Where the rows of each event type are, so that a question about one type does not read the type of every row. Types stand one
 * behind the other, ascending by code, in columns of up to GROUP rows; a type of more rows has a column of its own. SQLite reads
 * a column as a whole, so what a question about a rare type reads is bounded by GROUP, and there are few columns.
 *
 * A column has the number of its first type's code, negative: no field has such a number. Its bytes are integers: of each type the
 * first row, then differences. How many are of which type follows from the segment's counts, and so does which column has a type.
 */
import { makeColumn, WORDS } from '../../primitives/columns.ts';
import { primitives, wordsAt } from '../../primitives/memory.ts';
import { decodeIntegersBriefly, encodeIntegers } from './encoding/integers.ts';
import type { TypeCounts } from './type-counts.ts';

/** The types whose rows are in one column. */
export interface TypeGroup {
  readonly field: number;
  readonly rows: number;
  readonly types: TypeCounts;
}

/** Part of the format: with another number, columns that are stored would be looked for in other places. */
const GROUP = 4096;

/** The columns of a segment that has these types; none where all rows have the same. */
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

/** @param codes The event type of each row. @param types How many rows each has. */
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

/** The rows of a type of the group, ascending. Throws when the column is not the group's. */
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
  const next = new Uint32Array(most + 1); // by code, the place of its next row
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

/** Differences as decoded, with an address → rows. */
function sums(differences: Uint32Array, from: number, count: number): Uint32Array {
  return makeColumn(WORDS, { room: count, length: count }, (out) => {
    wordsAt(out, count).set(differences.subarray(from, from + count));
    primitives.sumRows(out, count);
  });
}
