/**
 * Buffers that come and go by the hundred megabytes: request bodies, columns of segments being made. Beyond 64 MiB of them V8
 * collects the whole heap, 20 ms in the thread and as much beside it every 100 bodies. A collection of young objects alone frees
 * nearly all in one millisecond, but V8 starts one only after many small objects; so code that handles buffers requests it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes of bodies between two collections. A body is in memory up to three times, as received, gathered, and handed on; with 8
 * MiB the whole heap is collected as often as without.
 */
const EVERY = 2 << 20;

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

let collect: Collect | null = null;
let every = EVERY;
let type: 'minor' | 'major' = 'minor';
let bytes = 0;
/** Of tasks since the whole heap was collected. */
let rows = 0;

/** Reports that the thread is done with a body of this many bytes, or with arrays. */
export function buffersPassed(length: number): void {
  bytes += length;
  if (bytes < every) return;
  bytes = 0;
  collect ??= collector();
  collect?.({ type });
}

/**
 * For a thread of which collections of young objects leave most of these buffers in memory, and whose heap is small: from now on
 * `buffersPassed` collects the whole heap, every so many bytes.
 */
export function collectWholeHeap(everyBytes: number): void {
  every = everyBytes;
  type = 'major';
}

/** Columns of so many rows are some ten megabytes, and a collection of the whole heap takes as long as a sixth of their seal. */
const MANY_ROWS = 262_144;

/**
 * Frees the columns that tasks of many rows leave, also old ones, in threads that then wait for work: V8 would leave 64 MiB in
 * each. Not after each small task: with thousands of projects, sealed one after the other, that made acknowledgements wait.
 */
export function freeColumns(taskRows: number): void {
  rows += taskRows;
  if (rows < MANY_ROWS) return;
  rows = 0;
  collectHeap();
}

/** Collects the whole heap of the thread. */
export function collectHeap(): void {
  bytes = 0;
  collect ??= collector();
  collect?.({ type: 'major' });
}

/** Nothing else of the process can call it. null: another thread, which has found its own, hid it in this moment. */
function collector(): Collect | null {
  setFlagsFromString('--expose-gc');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what V8 calls so
  const found = runInNewContext('globalThis.gc ?? null') as Collect | null;
  setFlagsFromString('--no-expose-gc'); // kept code is of the usual flags
  return found;
}
