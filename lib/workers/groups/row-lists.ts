/** What two ascending lists of rows have in common. */
import { lowerBound } from '../../base/lower-bound.ts';
import { Lease, primitives } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';
import type { RowRange } from '../rows/row-set.ts';
import { movedSpans, type Positions, type RowSpan } from './positions.ts';

type Owner = Pick<RowContext, 'memory'>;

/** The positions whose rows are in an ascending list. */
export function positionsAmong(positions: Positions, rows: Uint32Array, context: Owner): Positions {
  const { list, spans } = intersect(positions, rows, context);
  return { rows: list === null ? rows : gatherRows(rows, list, context), spans };
}

/** Indices into an ascending list of rows that are among some positions. `list` null: all indices of the spans. */
export interface Places {
  readonly list: Uint32Array | null;
  readonly spans: readonly RowSpan[];
}

export function intersect(positions: Positions, rows: Uint32Array, context: Owner): Places {
  const list = positions.rows;
  if (list === null) {
    const spans = movedSpans(positions.spans, (from, to) => {
      const start = lowerBound(rows, from);
      return { from: start, to: lowerBound(rows, to, start) };
    });
    return { list: null, spans };
  }
  const same = sameRuns(positions.spans, list, rows);
  if (same !== null) return { list: null, spans: same };
  const common = placesOfCommon(positions.spans, list, rows, context);
  let start = 0;
  const spans = movedSpans(positions.spans, (from, to) => {
    const end = lowerBound(rows, list[to - 1]! + 1);
    const span = { from: lowerBound(common, lowerBound(rows, list[from]!), start), to: 0 };
    start = span.to = lowerBound(common, end, span.from);
    return span;
  });
  return { list: common, spans };
}

/** The places in `rows` of what the spans of the list have in common with it. */
function placesOfCommon(
  spans: readonly RowSpan[],
  list: Uint32Array,
  rows: Uint32Array,
  { memory }: Owner,
): Uint32Array {
  using lease = new Lease();
  const [own, others] = [lease.hold(list).byteOffset, lease.hold(rows).byteOffset];
  const found = lease.words(Math.min(list.length, rows.length));
  let length = 0;
  for (const { from, to } of withoutCuts(spans)) {
    const [first, last] = [list[from]!, list[to - 1]!];
    const at = lowerBound(rows, first);
    const count = lowerBound(rows, last + 1, at) - at;
    if (count === 0) continue;
    using bits = new Lease();
    const room = bits.bytes((((last - first) >>> 6) + 1) * 12).byteOffset;
    const out = found.byteOffset + length * 4;
    length += primitives.placesOfCommon(own + from * 4, to - from, others + at * 4, count, at, room, out);
  }
  const common = memory.list(length);
  common.set(found.subarray(0, length));
  return common;
}

/** Spans that follow each other as one: there may be one for every hour of years. */
function withoutCuts(spans: readonly RowSpan[]): readonly RowRange[] {
  const whole: { from: number; to: number }[] = [];
  for (const { from, to } of spans) {
    const last = whole.at(-1);
    if (last?.to === from) last.to = to;
    else whole.push({ from, to });
  }
  return whole;
}

/** If `rows` has the rows of every span in one run, as with the amount of a purchase: those runs; else null. */
function sameRuns(spans: readonly RowSpan[], list: Uint32Array, rows: Uint32Array): readonly RowSpan[] | null {
  const runs: RowSpan[] = [];
  for (const { bucket, from, to } of spans) {
    const start = lowerBound(rows, list[from]!);
    const shift = start - from;
    if (rows[to - 1 + shift] !== list[to - 1]) return null;
    for (let k = from; k < to; k++) if (list[k] !== rows[k + shift]) return null;
    runs.push({ bucket, from: start, to: to + shift });
  }
  return runs;
}

export function gatherRows(values: Uint32Array, places: Uint32Array, { memory }: Owner): Uint32Array {
  const result = memory.list(places.length);
  for (let k = 0; k < places.length; k++) result[k] = values[places[k]!]!;
  return result;
}
