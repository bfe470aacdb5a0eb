/** Who is in a cohort, as a field by which rows are grouped. */
import type { Field } from '../../dsl/plan/plan.ts';
import { memoryAt } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';
import { codedColumn, GrowingDictionary, type FieldColumn } from '../rows/field-column.ts';
import type { RowRange, RowSet } from '../rows/row-set.ts';
import { filterOf } from '../where/filter.ts';
import { eachBlock } from './vectors.ts';

const WORDS = new GrowingDictionary();
const IN = WORDS.codeOf('in');
const OUT = WORDS.codeOf('out');

/** `in` or `out`, of rows `from` to `to`; the column says nothing of others. */
export function cohortColumn(
  { condition }: Field & { readonly kind: 'cohort' },
  rows: RowSet,
  range: RowRange,
  context: RowContext,
): FieldColumn {
  const codes = new Uint8Array(rows.rows);
  const filter = filterOf(condition, rows, context);
  eachBlock({ rows: null, spans: [{ bucket: 0, ...range }] }, context, (vectors, _, first) => {
    const passes = memoryAt(vectors.mask(filter), vectors.count);
    for (let at = 0; at < passes.length; at++) codes[first + at] = passes[at] === 1 ? IN : OUT;
  });
  return codedColumn(codes, WORDS);
}
