import { Lease } from '../../primitives/lease.ts';
import { primitives } from '../../primitives/memory.ts';
import type { RawSegment } from './raw.ts';

/**
 * The rows in order of (time, arrival). Most already are: those are kept as a run, the others sorted, and both merged, which is
 * linear except for late rows.
 */
export function timeOrder(raw: Pick<RawSegment, 'rows' | 'times' | 'arrivals'>): Uint32Array {
  using lease = new Lease();
  const { rows } = raw;
  const [times, arrivals] = [lease.hold(raw.times), lease.hold(raw.arrivals)];
  const [run, late] = [lease.words(rows), lease.words(rows)];
  const inRun = primitives.inOrder(times.byteOffset, arrivals.byteOffset, rows, run.byteOffset, late.byteOffset);
  if (inRun === rows) return new Uint32Array(run);
  const sorted = late.subarray(0, rows - inRun).sort((a, b) => times[a]! - times[b]! || arrivals[a]! - arrivals[b]!);
  const before = (a: number, b: number): boolean =>
    times[a]! < times[b]! || (times[a] === times[b] && arrivals[a]! < arrivals[b]!);
  const order = new Uint32Array(rows);
  for (let i = 0, j = 0, k = 0; k < rows; k++) {
    if (j === sorted.length || (i < inRun && before(run[i]!, sorted[j]!))) order[k] = run[i++]!;
    else order[k] = sorted[j++]!;
  }
  return order;
}
