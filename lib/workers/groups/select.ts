/** The places of a set of rows that a filter lets through. */
import { filterExpression } from '../loops/expressions.ts';
import { packedLoop } from '../loops/packed.ts';
import type { RowContext } from '../query-context.ts';
import type { Filter } from '../where/filter.ts';
import type { Positions, Span } from './positions.ts';

/** Rows between two looks at the clock and at the flag that cancels. */
export const BLOCK = 1 << 17;

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
