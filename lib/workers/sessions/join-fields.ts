/** Single rows of several sets put together as one column. */
import type { RowContext } from '../query-context.ts';
import type { FieldColumn } from '../rows/field-column.ts';
import { joinBooks } from './join-books.ts';

/** Row `at[k]` of the column becomes row `rows[k]` of the joined one. */
export interface FieldPiece {
  readonly column: FieldColumn;
  readonly at: Uint32Array;
  readonly rows: Uint32Array;
}

/** null: no row has a value. @param rows Rows of the joined column; those that no piece names are missing. */
export function joinFields(pieces: readonly FieldPiece[], rows: number, context: RowContext): FieldColumn | null {
  if (pieces.length === 0) return null;
  const coded = pieces.map(({ column: { codes, book }, at }) => ({
    codes: codes === null ? new Uint32Array(at.length) : Uint32Array.from(at, (row) => codes[row]!),
    book: codes === null ? null : book,
  }));
  const { codes, book } = joinBooks(coded, context);
  const joined = new Uint32Array(rows);
  for (const [piece, own] of codes.entries()) scatter(own, pieces[piece]!.rows, joined);
  return {
    codes: book === null ? null : joined,
    book,
    numbers: joinNumbers(pieces, rows),
    times: pieces.some(({ column }) => column.times),
  };
}

function joinNumbers(pieces: readonly FieldPiece[], rows: number): FieldColumn['numbers'] {
  if (pieces.every(({ column }) => column.numbers === null)) return null;
  const values = new Float64Array(rows);
  const has = new Uint8Array(rows);
  for (const { column, at, rows: to } of pieces) {
    if (column.numbers === null) continue;
    const places = placesIn(column.numbers, at);
    for (let k = 0; k < at.length; k++) {
      if (places[k] === NOWHERE) continue;
      values[to[k]!] = column.numbers.values[places[k]!]!;
      has[to[k]!] = 1;
    }
  }
  const present = Uint32Array.from(has.keys()).filter((row) => has[row] === 1);
  if (present.length === rows) return { rows: null, values };
  return { rows: present, values: Float64Array.from(present, (row) => values[row]!) };
}

/** Where the numbers of these rows stand. */
function placesIn(numbers: NonNullable<FieldColumn['numbers']>, at: Uint32Array): Int32Array {
  if (numbers.rows === null) return Int32Array.from(at);
  const places = new Map<number, number>();
  for (let place = 0; place < numbers.rows.length; place++) places.set(numbers.rows[place]!, place);
  return Int32Array.from(at, (row) => places.get(row) ?? NOWHERE);
}

const NOWHERE = -1;

function scatter(values: ArrayLike<number>, to: Uint32Array, joined: Uint32Array): void {
  for (let k = 0; k < values.length; k++) joined[to[k]!] = values[k]!;
}
