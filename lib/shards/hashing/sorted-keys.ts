/** Indices in ascending order of `high`, stable: a radix sort, 11 bits at a time. */
export function sortedByHigh(high: Uint32Array, count: number): Uint32Array {
  const DIGIT = 2048;
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  const starts = new Uint32Array(DIGIT);
  for (let shift = 0; shift < 32; shift += 11) {
    starts.fill(0);
    for (let i = 0; i < count; i++) starts[(high[i]! >>> shift) & (DIGIT - 1)]!++;
    for (let digit = 0, at = 0; digit < DIGIT; digit++) {
      const rows = starts[digit]!;
      starts[digit] = at;
      at += rows;
    }
    for (let i = 0; i < count; i++) {
      const key = order[i]!;
      next[starts[(high[key]! >>> shift) & (DIGIT - 1)]!++] = key;
    }
    [order, next] = [next, order];
  }
  return order;
}
