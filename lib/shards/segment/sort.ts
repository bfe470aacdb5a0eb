import type { RawSegment } from './raw.ts';

/**
 * The rows in order of (time, arrival). Most already are: those are kept as a run, the others sorted, and both merged, which is
 * linear except for late rows.
 */
export function timeOrder(raw: Pick<RawSegment, 'rows' | 'times' | 'arrivals'>): Uint32Array {
  const { rows, times, arrivals } = raw;
  const before = (a: number, b: number): boolean =>
    times[a]! < times[b]! || (times[a] === times[b] && arrivals[a]! < arrivals[b]!);
  const run = new Uint32Array(rows);
  const late = new Uint32Array(rows);
  let inRun = 0;
  let inLate = 0;
  for (let row = 0; row < rows; row++) {
    if (inRun === 0 || before(run[inRun - 1]!, row)) run[inRun++] = row;
    else late[inLate++] = row;
  }
  if (inLate === 0) return run;
  const sorted = late.subarray(0, inLate).sort((a, b) => times[a]! - times[b]! || arrivals[a]! - arrivals[b]!);
  const order = new Uint32Array(rows);
  for (let i = 0, j = 0, k = 0; k < rows; k++) {
    if (j === inLate || (i < inRun && before(run[i]!, sorted[j]!))) order[k] = run[i++]!;
    else order[k] = sorted[j++]!;
  }
  return order;
}
