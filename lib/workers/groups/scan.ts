/** One pass over one set of rows: what metrics read of it, each piece computed once. */
import { isSeconds, SECOND_MS } from '../../dsl/plan/fields.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { RowContext } from '../query-context.ts';
import type { RowSet } from '../rows/row-set.ts';
import type { Filter } from '../where/filter.ts';
import { numericRows, type NumericRows } from './numeric-rows.ts';
import type { Positions } from './positions.ts';
import { select } from './select.ts';
import type { SlotMap } from './vectors.ts';

export class Scan {
  readonly rows: RowSet;
  readonly context: RowContext;
  readonly filter: Filter;
  /** Rows in the range and of the event, before the filter. */
  readonly positions: Positions;
  slots: SlotMap = [];
  readonly #numeric = new Map<Field, readonly NumericRows[]>();
  #selected: Positions | null = null;

  constructor(rows: RowSet, positions: Positions, filter: Filter, context: RowContext) {
    this.rows = rows;
    this.positions = positions;
    this.filter = filter;
    this.context = context;
  }

  /** The rows that pass the filter. */
  selected(): Positions {
    this.#selected ??= select(this.positions, this.filter, this.context);
    return this.#selected;
  }

  /** The rows that pass the filter and whose value is or spells a number, in up to two pieces. Seconds become milliseconds. */
  numeric(field: Field): readonly NumericRows[] {
    const known = this.#numeric.get(field);
    if (known !== undefined) return known;
    const found = numericRows(this, field);
    const made = isSeconds(field) ? found.map(inMilliseconds) : found;
    this.#numeric.set(field, made);
    return made;
  }
}

/** Exactly the whole numbers that the seconds were made from. */
function inMilliseconds(seconds: NumericRows): NumericRows {
  return { ...seconds, values: seconds.values.map((value) => Math.round(value * SECOND_MS)) };
}
