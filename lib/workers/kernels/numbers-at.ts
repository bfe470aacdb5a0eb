/** The numbers of a column at some rows. */
import { rowsIn, type Positions } from '../groups/positions.ts';
import { blocksOf } from '../groups/select.ts';
import type { QueryContext } from '../query-context.ts';
import type { FieldColumn } from '../rows/field-column.ts';
import { lowerBound } from '../../base/lower-bound.ts';

/** The numbers at the positions' rows, in their order. */
export function numbersAt(
  { rows, values }: NonNullable<FieldColumn['numbers']>,
  positions: Positions,
  context: QueryContext,
): Float64Array {
  const found = new Float64Array(Math.min(values.length, rowsIn(positions.spans)));
  let length = 0;
  for (const span of positions.spans) {
    for (const { from, to } of blocksOf(span.from, span.to)) {
      context.checkpoint();
      if (rows === null) length = takeDense(found, length, values, { list: positions.rows, from, to });
      else length = takeSparse(found, length, { rows, values }, { list: positions.rows, from, to });
    }
  }
  return found.subarray(0, length);
}

/** How many of the positions' rows have a number. */
export function countAt(
  numbers: NonNullable<FieldColumn['numbers']>,
  positions: Positions,
  context: QueryContext,
): number {
  const { rows } = numbers;
  if (rows === null) return rowsIn(positions.spans);
  if (positions.rows !== null) return numbersAt(numbers, positions, context).length;
  return positions.spans.reduce((sum, { from, to }) => sum + lowerBound(rows, to) - lowerBound(rows, from), 0);
}

interface Block {
  readonly list: Uint32Array | null;
  readonly from: number;
  readonly to: number;
}

function takeDense(found: Float64Array, at: number, values: Float64Array, { list, from, to }: Block): number {
  if (list === null) found.set(values.subarray(from, to), at);
  else for (let k = from; k < to; k++) found[at + k - from] = values[list[k]!]!;
  return at + to - from;
}

/** Both lists of rows are ascending: walks along both once. */
function takeSparse(
  found: Float64Array,
  length: number,
  numbers: { readonly rows: Uint32Array; readonly values: Float64Array },
  { list, from, to }: Block,
): number {
  const { rows, values } = numbers;
  let at = lowerBound(rows, list === null ? from : list[from]!);
  let n = length;
  for (let k = from; k < to && at < rows.length; k++) {
    const row = list === null ? k : list[k]!;
    while (at < rows.length && rows[at]! < row) at++;
    if (rows[at] === row) found[n++] = values[at]!;
  }
  return n;
}
