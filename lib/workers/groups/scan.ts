/** One pass over one set of rows: what metrics read of it, each piece made once. */
import type { Field } from '../../dsl/plan.ts';
import { filterExpression } from '../loops/expressions.ts';
import { packedLoop } from '../loops/packed.ts';
import type { RowContext } from '../query-context.ts';
import type { RowSet } from '../rows/row-set.ts';
import type { Filter } from '../where/filter.ts';
import { numericRows, type NumericRows } from './numeric-rows.ts';
import type { Positions, Span } from './positions.ts';
import type { SlotMap } from './slots.ts';

/** Rows between two looks at the clock and at the flag that cancels. */
export const BLOCK = 1 << 17;

export class Scan {
  readonly rows: RowSet;
  readonly context: RowContext;
  readonly filter: Filter;
  /** Rows of the range and of the event, before the filter. */
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

  /** The rows that pass the filter and whose value is or spells a number, in up to two pieces. */
  numeric(field: Field): readonly NumericRows[] {
    const known = this.#numeric.get(field);
    if (known !== undefined) return known;
    const made = numericRows(this, field);
    this.#numeric.set(field, made);
    return made;
  }
}

/** The positions whose rows pass. */
export function select(positions: Positions, filter: Filter, context: RowContext): Positions {
  if (filter.kind === 'constant') return filter.value === 1 ? positions : { rows: null, spans: [] };
  const { list, spans } = selectPlaces(positions, filter, { context, of: 'i' });
  return { rows: list, spans };
}

/**
 * The rows (`of` i) or the places (`of` k) of positions whose rows pass.
 * Plain form: `if (filter(i)) list[n++] = i`.
 */
export function selectPlaces(
  positions: Positions,
  filter: Filter,
  options: { readonly context: RowContext; readonly of: 'i' | 'k' },
): { readonly list: Uint32Array; readonly spans: readonly Span[] } {
  const loop = packedLoop(
    (inputs) => `out[n + a] = ${options.of}; n = (n + ${filterExpression(filter, inputs)}) | 0;`,
    positions.rows,
  );
  const total = positions.spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const list = new Uint32Array(total + 1); // the loop also writes where the next one would stand
  const spans: Span[] = [];
  let length = 0;
  for (const { bucket, from, to } of positions.spans) {
    const start = length;
    for (const block of blocksOf(from, to)) {
      options.context.checkpoint();
      length += loop(list, { ...block, a: length, b: 0 });
    }
    if (length > start) spans.push({ bucket, from: start, to: length });
  }
  return { list: list.subarray(0, length), spans };
}

const NOTHING = new Uint32Array(0);

/** How many rows of the positions pass. Plain form: `if (filter(i)) n++`. */
export function countSelected({ rows, spans }: Positions, filter: Filter, context: RowContext): number {
  const total = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  if (filter.kind === 'constant') return filter.value * total;
  const loop = packedLoop((inputs) => `n = (n + ${filterExpression(filter, inputs)}) | 0;`, rows);
  let count = 0;
  for (const span of spans) {
    for (const block of blocksOf(span.from, span.to)) {
      context.checkpoint();
      count += loop(NOTHING, { ...block, a: 0, b: 0 });
    }
  }
  return count;
}

/** A span in pieces of at most BLOCK rows. */
export function blocksOf(from: number, to: number): readonly { readonly from: number; readonly to: number }[] {
  if (to - from <= BLOCK) return [{ from, to }];
  const blocks = [];
  for (let at = from; at < to; at += BLOCK) blocks.push({ from: at, to: Math.min(at + BLOCK, to) });
  return blocks;
}
