/** Selects the rows of a page without sorting all of them. */
import type { CompareRows, Row } from './order.ts';
import { threshold } from '../../base/threshold.ts';

/** Above this share of the rows, sorting them all is as fast as a heap. */
const HEAP_SHARE = threshold('share of rows on a page', 1 / 8, { most: 1 });

/** Rows `from` to `to` (excluded) of the sorted rows; equal rows stay as they came. `compare` null: rows are already in order. */
export function selectRows<R extends Row>(
  rows: readonly R[],
  compare: CompareRows | null,
  from: number,
  to: number,
): R[] {
  if (from >= to || from >= rows.length) return [];
  if (compare === null) return rows.slice(from, to);
  if (to > rows.length * HEAP_SHARE.value) return rows.toSorted(compare).slice(from, to);
  return firstInOrder(rows, compare, to).slice(from);
}

/**
 * The first `count` items in order, or all if there are fewer. A heap keeps the best so far, with the worst on top, which
 * rejects most items.
 */
export function firstInOrder<T>(rows: ArrayLike<T>, compare: (a: T, b: T) => number, count: number): T[] {
  const before = (a: number, b: number): boolean => (compare(rows[a]!, rows[b]!) || a - b) < 0;
  const heap = new Uint32Array(count);
  for (let i = 0; i < count; i++) heap[i] = i;
  for (let i = (count >>> 1) - 1; i >= 0; i--) sink(heap, i, before);
  for (let i = count; i < rows.length; i++) {
    if (before(i, heap[0]!)) {
      heap[0] = i;
      sink(heap, 0, before);
    }
  }
  return Array.from(heap)
    .sort((a, b) => (before(a, b) ? -1 : 1))
    .map((i) => rows[i]!);
}

function sink(heap: Uint32Array, start: number, before: (a: number, b: number) => boolean): void {
  let at = start;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) return;
    if (child + 1 < heap.length && before(heap[child]!, heap[child + 1]!)) child++;
    if (!before(heap[at]!, heap[child]!)) return;
    const moved = heap[at]!;
    heap[at] = heap[child]!;
    heap[child] = moved;
    at = child;
  }
}
