/** Slots in order of time. They mostly are already; where segments overlap they are a few ascending runs, which are merged. */

/** Numbers 1 to `size` by `times` ascending, equal ones in their own order; null: 1, 2, 3 … is that order. */
export function orderByTime(times: Float64Array, size: number): Uint32Array | null {
  let ends = runsOf(times, size);
  if (ends.length <= 1) return null;
  let order = Uint32Array.from({ length: size }, (_, at) => at + 1);
  while (ends.length > 1) ({ order, ends } = mergePairs(order, ends, times));
  return order;
}

/** Where ascending runs end. */
function runsOf(times: Float64Array, size: number): number[] {
  const ends: number[] = [];
  for (let slot = 2; slot <= size; slot++) if (times[slot]! < times[slot - 1]!) ends.push(slot - 1);
  return size === 0 ? ends : [...ends, size];
}

function mergePairs(
  order: Uint32Array<ArrayBuffer>,
  ends: readonly number[],
  times: Float64Array,
): { order: Uint32Array<ArrayBuffer>; ends: number[] } {
  const merged = new Uint32Array(order.length);
  const mergedEnds: number[] = [];
  for (let pair = 0, from = 0; pair < ends.length; pair += 2) {
    const middle = ends[pair]!;
    const to = ends[pair + 1] ?? middle;
    for (let left = from, right = middle, at = from; at < to; at++) {
      const takesLeft = right >= to || (left < middle && times[order[left]!]! <= times[order[right]!]!);
      merged[at] = takesLeft ? order[left++]! : order[right++]!;
    }
    mergedEnds.push(to);
    from = to;
  }
  return { order: merged, ends: mergedEnds };
}
