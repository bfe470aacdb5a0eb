/** One pass over one set of rows: what metrics read of it, each piece computed once. */
import { SECOND_MS } from '../../base/day.ts';
import { kept } from '../../base/kept.ts';
import { isSeconds } from '../../dsl/plan/fields.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { RowContext } from '../query-context.ts';
import type { FieldColumn, RowNumbers } from '../rows/field-column.ts';
import type { RowSet } from '../rows/row-set.ts';
import { spelledBy } from '../rows/spelled-numbers.ts';
import type { Filter } from '../where/filter.ts';
import { rowsIn, type Positions } from './positions.ts';
import { gatherRows, intersect, type Places } from './row-lists.ts';
import { narrowed, select, selectPlaces } from './select.ts';
import type { SlotMap } from './vectors.ts';

export class Scan {
  readonly rows: RowSet;
  readonly context: RowContext;
  readonly filter: Filter;
  /** Rows in the range and of the event, before what is left of the filter. */
  readonly positions: Positions;
  slots: SlotMap = [];
  readonly #numeric = new Map<Field, readonly NumericRows[]>();
  #selected: Positions | null = null;

  constructor(rows: RowSet, positions: Positions, filter: Filter, context: RowContext) {
    this.rows = rows;
    ({ positions: this.positions, filter: this.filter } = narrowed(positions, filter, context));
    this.context = context;
  }

  /** The rows that pass the filter. */
  selected(): Positions {
    this.#selected ??= select(this.positions, this.filter, this.context);
    return this.#selected;
  }

  /** The rows that pass the filter and whose value is or spells a number, in up to two pieces. Seconds become milliseconds. */
  numeric(field: Field): readonly NumericRows[] {
    return kept(this.#numeric, field, () => {
      const found = numericRows(this, field);
      return isSeconds(field) ? found.map(inMilliseconds) : found;
    });
  }
}

/** Exactly the whole numbers that the seconds were made from. */
function inMilliseconds(seconds: NumericRows): NumericRows {
  return { ...seconds, values: seconds.values.map((value) => Math.round(value * SECOND_MS)) };
}

export interface NumericRows extends Positions {
  /** The number at each index of `rows`; at each row without a list. */
  readonly values: Float64Array;
}

type Owner = Pick<RowContext, 'memory'>;
type SparseNumbers = RowNumbers & { readonly rows: Uint32Array };

/** Keeps stored numbers and numbers spelt by strings apart: most fields have only one kind. */
function numericRows(scan: Scan, field: Field): readonly NumericRows[] {
  const column = scan.rows.field(field);
  if (column === null || isNothing(scan.filter)) return [];
  return [storedNumbers(scan, column), speltNumbers(scan, column)].filter((rows) => rows !== null);
}

function storedNumbers(scan: Scan, { numbers }: FieldColumn): NumericRows | null {
  if (numbers === null) return null;
  const { rows, values } = numbers;
  if (rows === null) return numbersIn(numbers, scan.selected(), scan.context);
  // Few rows have the number: find these first, then run the filter over them alone.
  return numbersAt({ rows, values }, filterPlaces(scan, intersect(scan.positions, rows, scan.context), rows), scan.context); // prettier-ignore
}

/** The stored numbers in the positions' rows. */
export function numbersIn({ rows, values }: RowNumbers, positions: Positions, context: Owner): NumericRows {
  if (rows !== null) return numbersAt({ rows, values }, intersect(positions, rows, context), context);
  return { ...positions, values: positions.rows === null ? values : gather(values, positions.rows, context) };
}

/** How many of the positions' rows have a stored number. */
export function countNumbers({ rows }: RowNumbers, positions: Positions, context: Owner): number {
  return rowsIn(rows === null ? positions.spans : intersect(positions, rows, context).spans);
}

function numbersAt({ rows, values }: SparseNumbers, { list, spans }: Places, context: Owner): NumericRows {
  if (list === null) return { rows, values, spans };
  return { rows: gatherRows(rows, list, context), values: gather(values, list, context), spans };
}

function filterPlaces(scan: Scan, places: Places, rows: Uint32Array): Places {
  if (scan.filter.kind === 'constant') return places;
  const positions: Positions = {
    rows: places.list === null ? rows : gatherRows(rows, places.list, scan.context),
    spans: places.spans,
  };
  const { list, spans } = selectPlaces(positions, scan.filter, { context: scan.context, of: 'places' });
  return { list: places.list === null ? list : gatherRows(places.list, list, scan.context), spans };
}

function speltNumbers(scan: Scan, { codes, dictionary }: FieldColumn): NumericRows | null {
  if (codes === null || dictionary === null) return null;
  const spelt = spelledBy(dictionary, () => scan.context.checkpoint());
  if (spelt.count === 0) return null;
  const has: Filter = { kind: 'table', codes, passes: spelt.has, only: null };
  const { list, spans } = selectPlaces(scan.selected(), has, { context: scan.context, of: 'rows' });
  const values = scan.context.memory.listOfFloats(list.length);
  for (let k = 0; k < list.length; k++) values[k] = spelt.values[codes[list[k]!]!]!;
  return { rows: list, values, spans };
}

function isNothing(filter: Filter): boolean {
  return filter.kind === 'constant' && filter.value === 0;
}

function gather(values: Float64Array, places: Uint32Array, { memory }: Owner): Float64Array {
  const result = memory.listOfFloats(places.length);
  for (let k = 0; k < places.length; k++) result[k] = values[places[k]!]!;
  return result;
}
