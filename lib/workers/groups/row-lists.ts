/** What two ascending lists of rows have in common. */
import { lowerBound } from '../../base/lower-bound.ts';
import { Lease, primitives } from '../../primitives/memory.ts';
import { movedSpans, type Positions, type RowSpan } from './positions.ts';

/** The positions whose rows are in an ascending list. */
export function positionsAmong(positions: Positions, rows: Uint32Array): Positions {
  const { list, spans } = intersect(positions, rows);
  return { rows: list === null ? rows : gatherRows(rows, list), spans };
}

/** Indices into an ascending list of rows that are among some positions. `list` null: all indices of the spans. */
export interface Places {
  readonly list: Uint32Array | null;
  readonly spans: readonly RowSpan[];
}

export function intersect(positions: Positions, rows: Uint32Array): Places {
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
  using lease = new Lease();
  const [own, others] = [lease.hold(list).byteOffset, lease.hold(rows).byteOffset];
  const found = lease.words(Math.min(list.length, rows.length));
  let length = 0;
  const spans = movedSpans(positions.spans, (from, to) => {
    const start = length;
    const [first, last] = [list[from]!, list[to - 1]!];
    const at = lowerBound(rows, first);
    const count = lowerBound(rows, last + 1, at) - at;
    using bits = new Lease();
    const room = bits.bytes((((last - first) >>> 6) + 1) * 12).byteOffset;
    const out = found.byteOffset + length * 4;
    length += primitives.placesOfCommon(own + from * 4, to - from, others + at * 4, count, at, room, out);
    return { from: start, to: length };
  });
  return { list: new Uint32Array(found.subarray(0, length)), spans };
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

export function gatherRows(values: Uint32Array, places: Uint32Array): Uint32Array {
  const result = new Uint32Array(places.length);
  for (let k = 0; k < places.length; k++) result[k] = values[places[k]!]!;
  return result;
}
