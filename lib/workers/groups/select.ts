/** The places in a set of rows that pass a filter. */
import { primitives, wordsAt } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';
import { eachBlock, Vectors } from './vectors.ts';
import { ALL, both, type Filter } from '../where/filter.ts';
import { positionsAmong } from './row-lists.ts';
import { NO_ROWS, rowsIn, type Positions, type RowSpan } from './positions.ts';
import type { RowRange } from '../rows/row-set.ts';

/** Rows between two checks of the clock and of the cancel flag. */
export const ROWS_BETWEEN_CHECKS = 1 << 17;

/** The positions whose rows pass. */
export function select(positions: Positions, filter: Filter, context: RowContext): Positions {
  const left = narrowed(positions, filter, context);
  if (left.filter.kind === 'constant') return left.filter.value === 1 ? left.positions : NO_ROWS;
  const { list, spans } = selectPlaces(left.positions, left.filter, { context, of: 'rows' });
  return { rows: list, spans };
}

/** Of a filter that only rows of a list can pass: those rows, and what is left to test. */
export function narrowed(
  positions: Positions,
  filter: Filter,
  context: Pick<RowContext, 'memory'>,
): { readonly positions: Positions; readonly filter: Filter } {
  if (filter.kind === 'rows') return { positions: positionsAmong(positions, filter.rows, context), filter: ALL };
  if (filter.kind !== 'and') return { positions, filter };
  let own = positions;
  let rest: Filter = ALL;
  for (const term of filter.terms) {
    if (term.kind === 'rows') own = positionsAmong(own, term.rows, context);
    else rest = both(rest, term);
  }
  return own === positions ? { positions, filter } : { positions: own, filter: rest };
}

/** The rows that pass, or their places in the list. Plain form: `if (filter(row)) list[n++] = row`. */
export function selectPlaces(
  positions: Positions,
  filter: Filter,
  options: { readonly context: RowContext; readonly of: 'rows' | 'places' },
): { readonly list: Uint32Array; readonly spans: readonly RowSpan[] } {
  const { memory } = options.context;
  // All might pass, but usually few do: a list for all is made anew each time, and cleared, by the system.
  const room = memory.take(rowsIn(positions.spans) * 4);
  const spans: RowSpan[] = [];
  const vectors = new Vectors(positions.rows, options.context);
  let length = 0;
  for (const { bucket, from, to } of positions.spans) {
    const start = length;
    vectors.each(from, to, (first) => {
      length += vectors.pick(filter, { first, of: options.of, out: room + length * 4 });
    });
    if (length > start) spans.push({ bucket, from: start, to: length });
  }
  vectors.end();
  const list = memory.list(length);
  list.set(wordsAt(room, length));
  memory.give(room);
  return { list, spans };
}

/** Calls `use` with how many rows of the positions pass: in one or more calls for each span, with its bucket. */
export function countSelected(
  positions: Positions,
  filter: Filter,
  context: RowContext,
  use: (bucket: number, rows: number) => void,
): void {
  if (filter.kind === 'constant') {
    for (const { bucket, from, to } of positions.spans) use(bucket, filter.value * (to - from));
    return;
  }
  eachBlock(positions, context, (vectors, bucket) =>
    use(bucket, primitives.countMask(vectors.mask(filter), vectors.count)),
  );
}

/** Cuts a span into pieces of at most BLOCK rows. */
export function blocksOf(from: number, to: number): readonly RowRange[] {
  if (to - from <= ROWS_BETWEEN_CHECKS) return [{ from, to }];
  const blocks = [];
  for (let at = from; at < to; at += ROWS_BETWEEN_CHECKS)
    blocks.push({ from: at, to: Math.min(at + ROWS_BETWEEN_CHECKS, to) });
  return blocks;
}
