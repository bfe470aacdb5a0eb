/** Arithmetic over the numbers of rows, computed by blocks for the rows that have all of them. */
import type { Hold } from '../../primitives/columns.ts';
import { Lease } from '../../primitives/memory.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { FormulaNode } from '../../dsl/plan/formula-node.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { FieldColumn, RowNumbers } from './field-column.ts';
import { entriesIn, readOf, type RowSet } from './row-set.ts';
import { spelledBy } from './spelled-numbers.ts';
import { BLOCK_ROWS } from '../check-every.ts';

export type ArithmeticField = Field & { readonly kind: 'arithmetic' };

/** null: no row has a value. @param memory Where the values may lie; without it they are on the heap. */
export function arithmeticColumn(
  { expression, fields }: ArithmeticField,
  rows: Pick<RowSet, 'rows' | 'read' | 'field'>,
  { checkpoint, memory }: { readonly checkpoint: () => void; readonly memory?: Pick<Hold, 'listOfFloats'> },
): FieldColumn | null {
  const operands: RowNumbers[] = [];
  for (const field of fields) {
    const found = numbersOf(rows.field(field), rows.rows, checkpoint);
    if (found === null) return null;
    operands.push(found);
  }
  const shared = operands.reduce<Uint32Array | null>((list, { rows: own }) => inBoth(list, own), null);
  const values = operands.map((one) => valuesAt(one, shared));
  const count = shared?.length ?? rows.rows;
  const computed = memory?.listOfFloats(count) ?? new Float64Array(count);
  const read = entriesIn(shared, readOf(rows));
  for (let { from } = read; from < read.to; from += BLOCK_ROWS) {
    checkpoint();
    const to = Math.min(read.to, from + BLOCK_ROWS);
    const block = values.map((own) => own.subarray(from, to));
    using lease = new Lease();
    computed.set(evaluate(expression, block, { count: to - from, lease }), from);
  }
  return { codes: null, dictionary: null, numbers: withoutNone(computed, shared), times: false };
}

/** Those that are stored, and those that texts spell. */
function numbersOf(column: FieldColumn | null, rows: number, checkpoint: () => void): RowNumbers | null {
  if (column === null) return null;
  const { codes, dictionary, numbers } = column;
  if (codes === null || dictionary === null) return numbers;
  const spelled = spelledBy(dictionary, checkpoint);
  if (spelled.count === 0) return numbers;
  const all = new Float64Array(rows).fill(NaN);
  for (let row = 0; row < rows; row++) if (spelled.has[codes[row]!] === 1) all[row] = spelled.values[codes[row]!]!;
  if (numbers?.rows === null) all.set(numbers.values);
  else numbers?.rows.forEach((row, at) => (all[row] = numbers.values[at]!));
  return withoutNone(all, null);
}

/** Without what is NaN. @param rows The row of each value; null: its index. */
function withoutNone(values: Float64Array, rows: Uint32Array | null): RowNumbers {
  let count = 0;
  for (let at = 0; at < values.length; at++) count += Number.isNaN(values[at]!) ? 0 : 1;
  if (count === values.length) return { rows, values };
  const kept = { rows: new Uint32Array(count), values: new Float64Array(count) };
  for (let at = 0, to = 0; to < count; at++) {
    kept.rows[to] = rows === null ? at : rows[at]!;
    kept.values[to] = values[at]!;
    to += Number.isNaN(values[at]!) ? 0 : 1;
  }
  return kept;
}

/** What two ascending lists of rows have in common; null: all rows. */
function inBoth(a: Uint32Array | null, b: Uint32Array | null): Uint32Array | null {
  if (a === null || b === null || isSame(a, b)) return a ?? b;
  const both = new Uint32Array(Math.min(a.length, b.length));
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [left, right] = [a[i]!, b[j]!];
    if (left === right) both[count++] = left;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return both.subarray(0, count);
}

/** Numbers that are sent together are in the same rows. */
function isSame(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** @param wanted Among the rows that have a value; null: all rows do. */
function valuesAt({ rows, values }: RowNumbers, wanted: Uint32Array | null): Float64Array {
  if (wanted === null || rows?.length === wanted.length) return values;
  const picked = new Float64Array(wanted.length);
  for (let at = 0, place = 0; at < wanted.length; at++) {
    const row = wanted[at]!;
    if (rows === null) place = row;
    else while (rows[place]! < row) place++;
    picked[at] = values[place]!;
  }
  return picked;
}

/** Rows of a block, and where their values lie. */
interface BlockOf {
  readonly count: number;
  readonly lease: Lease;
}

/** The value of each row; NaN for none. The result may be an operand's own array. */
function evaluate(node: FormulaNode, operands: readonly Float64Array[], block: BlockOf): Float64Array {
  const numbers = (value: number): Float64Array => block.lease.floats(block.count).fill(value);
  switch (node.kind) {
    case 'number':
      return numbers(Number.isFinite(node.value) ? node.value : NaN);
    case 'operand':
      return operands[node.index]!;
    case 'negate':
      return calculate('-', numbers(0), evaluate(node.term, operands, block), block); // 0 stays 0, not -0
    case 'binary':
      return calculate(node.op, evaluate(node.left, operands, block), evaluate(node.right, operands, block), block);
    default:
      return unreachable(node);
  }
}

function calculate(
  op: '+' | '-' | '*' | '/',
  left: Float64Array,
  right: Float64Array,
  { count, lease }: BlockOf,
): Float64Array {
  const out = lease.floats(count);
  // One loop for each operator: a call for each row takes ten times as long.
  if (op === '+') for (let at = 0; at < out.length; at++) out[at] = left[at]! + right[at]!;
  else if (op === '-') for (let at = 0; at < out.length; at++) out[at] = left[at]! - right[at]!;
  else if (op === '*') for (let at = 0; at < out.length; at++) out[at] = left[at]! * right[at]!;
  else for (let at = 0; at < out.length; at++) out[at] = left[at]! / right[at]!;
  for (let at = 0; at < out.length; at++) out[at]! += out[at]! - out[at]!; // NaN of what is not finite; -0 becomes 0
  return out;
}
