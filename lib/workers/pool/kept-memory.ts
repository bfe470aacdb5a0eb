/** What a query thread keeps between tasks: its heap with the garbage of earlier ones, and the memory of primitives at its peak. */
import { getHeapStatistics } from 'node:v8';
import { collectHeap } from '../../base/young-buffers.ts';
import { bytesKept } from '../../primitives/memory.ts';

/**
 * Bytes of a heap that is collected after a task rather than when V8 does so: that lets heaps triple, and an idle thread's stay. Few
 * questions leave so much, and they take seconds.
 */
const LARGE_HEAP = 128 << 20;

/** Of the heap when it was last collected: what is alive is not collected again and again. */
let alive = 0;

/** Bytes; call after a task. */
export function keptMemory(): number {
  let heap = getHeapStatistics().total_heap_size;
  if (heap > Math.max(LARGE_HEAP, 2 * alive)) {
    collectHeap();
    heap = alive = getHeapStatistics().total_heap_size;
  }
  return heap + bytesKept();
}
