/** The rows that `latest` yields, one per entity, in order of when their values were set. */
import type { Field } from '../../dsl/plan/plan.ts';
import { unreachable } from '../../base/unreachable.ts';
import { codedColumn, GrowingDictionary, timesColumn, type FieldColumn } from './field-column.ts';
import type { RowContext } from '../query-context.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { RowSet } from './row-set.ts';
import { cellOf, type StoredValue } from './typed-value.ts';

export interface LatestRow {
  readonly entity: string;
  /** A time in milliseconds if the rows' values are times. */
  readonly value: StoredValue;
  readonly time: number;
}

export class LatestRows implements RowSet {
  readonly list: readonly LatestRow[];
  readonly #timesAsValues: boolean;
  readonly #times: Float64Array;
  readonly #context: RowContext;
  readonly #columns = new Map<string, FieldColumn>();

  /** @param rows Ascending by time. @param timesAsValues The values are times. */
  constructor(rows: readonly LatestRow[], timesAsValues: boolean, context: RowContext) {
    this.#context = context;
    this.list = rows;
    this.#timesAsValues = timesAsValues;
    this.#times = Float64Array.from(rows, ({ time }) => time);
  }

  get rows(): number {
    return this.list.length;
  }
  rowAt(time: number): number {
    return lowerBound(this.#times, time);
  }

  field(field: Field): FieldColumn {
    if (field.kind !== 'latest') throw new Error(`a row of latest has no ${field.kind} fields`);
    const { name } = field;
    const known = this.#columns.get(name) ?? this.#read(name);
    this.#columns.set(name, known);
    return known;
  }

  #read(name: 'entity' | 'last_value' | 'set_at'): FieldColumn {
    switch (name) {
      case 'entity':
        return coded(this.list, ({ entity }) => entity, this.#context);
      case 'set_at':
        return timesColumn({ rows: null, values: this.#times });
      case 'last_value':
        return this.#timesAsValues
          ? timesColumn({ rows: null, values: Float64Array.from(this.list, ({ value }) => Number(value)) })
          : coded(this.list, ({ value }) => value, this.#context);
      default:
        return unreachable(name);
    }
  }
}

/** Reads one value at a time. */
function coded(
  rows: readonly LatestRow[],
  valueOf: (row: LatestRow) => StoredValue,
  { budget, checkpoint }: RowContext,
): FieldColumn {
  const dictionary = new GrowingDictionary({ checkpoint, take: (bytes) => budget.take(bytes) });
  return codedColumn(
    Uint32Array.from(rows, (row) => dictionary.codeOf(cellOf(valueOf(row)))),
    dictionary,
  );
}
