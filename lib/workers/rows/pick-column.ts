/** Columns of some rows of a set, in the order of these rows. */
import { pickCodes } from './pick.ts';
import type { FieldColumn, RowNumbers } from './field-column.ts';

/** @param rows Ascending; one may come several times. */
export function pickColumn({ codes, dictionary, numbers, times }: FieldColumn, rows: Uint32Array): FieldColumn {
  return {
    codes: codes === null ? null : pickCodes(codes, rows),
    dictionary,
    numbers: numbers === null ? null : numbersAt(numbers, rows),
    times,
  };
}

/** The numbers at these rows, which ascend like the rows that have numbers. */
function numbersAt(numbers: RowNumbers, rows: Uint32Array): RowNumbers {
  const values = new Float64Array(rows.length);
  const places = new Uint32Array(rows.length);
  let length = 0;
  for (let at = 0, place = 0; at < rows.length; at++) {
    if (numbers.rows === null) place = rows[at]!;
    else while (place < numbers.rows.length && numbers.rows[place]! < rows[at]!) place++;
    if (numbers.rows !== null && numbers.rows[place] !== rows[at]) continue;
    values[length] = numbers.values[place]!;
    places[length++] = at;
  }
  return { rows: length === rows.length ? null : places.subarray(0, length), values: values.subarray(0, length) };
}
