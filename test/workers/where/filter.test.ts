import { expect } from 'chai';
import type { Field } from '../../../lib/dsl/plan/plan.ts';
import { arithmeticColumn } from '../../../lib/workers/rows/arithmetic-column.ts';
import type { FieldColumn } from '../../../lib/workers/rows/field-column.ts';
import type { RowSet } from '../../../lib/workers/rows/row-set.ts';
import { filterOf } from '../../../lib/workers/where/filter.ts';
import * as plans from '../../dsl/plans.ts';
import { rowContext } from '../../support/row-context.ts';

const FIELD: Field = plans.property('n');

/** Rows 1 and 2 are read, of four. @param rows The row of each number; null: all four have one. */
function someRows(rows: readonly number[] | null, values: readonly number[]): RowSet {
  const numbers = { rows: rows && Uint32Array.from(rows), values: Float64Array.from(values) };
  const column: FieldColumn = { codes: null, dictionary: null, numbers, times: false };
  return { rows: 4, read: { from: 1, to: 3 }, rowAt: () => 0, field: () => column };
}

describe('what is computed by row', () => {
  it('is so only for the rows that are read: tests of numbers', () => {
    const test = { op: 'compare', sign: '>', literal: { type: 'number', value: 0 } } as const;
    const of = (rows: readonly number[] | null) =>
      filterOf({ kind: 'test', field: FIELD, test }, someRows(rows, [5, 5, -5, 5]), rowContext());
    expect(of(null)).to.deep.equal({ kind: 'mask', bytes: Uint8Array.of(0, 1, 0, 0) });
    expect(of([0, 1, 2, 3])).to.deep.equal({ kind: 'rows', rows: Uint32Array.of(1) });
  });

  it('is so only for the rows that are read: arithmetic', () => {
    const twice: Parameters<typeof arithmeticColumn>[0] = {
      kind: 'arithmetic',
      fields: [FIELD],
      expression: { kind: 'binary', op: '*', left: { kind: 'operand', index: 0 }, right: { kind: 'number', value: 2 } },
    };
    for (const rows of [null, [0, 1, 2, 3]]) {
      const found = arithmeticColumn(twice, someRows(rows, [5, 6, 7, 8]), { checkpoint: () => undefined });
      expect([...found!.numbers!.values]).to.deep.equal([0, 12, 14, 0]);
    }
  });
});
