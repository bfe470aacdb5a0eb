/** Partials on their way to another thread: buffers are transferred, and only what lies in this thread's memory is copied. */
import { heapCopy, isInMemory, type MemoryArray } from '../../primitives/memory.ts';
import type { GroupsPartial } from '../metrics/metric-partial.ts';
import type { PartialResult } from '../kernels/partial-result.ts';
import { meanTheSame } from '../metrics/unique/merge-unique.ts';

/** Whether merging the partials may need dictionaries: some of their texts are left as codes. */
export function askForTexts(partials: readonly PartialResult[]): boolean {
  const groups = partials.flatMap(groupsOf);
  if (groups.some(({ keys }) => keys.some(({ texts }) => texts === null))) return true;
  const sets = groups.flatMap(({ metrics }) => metrics.filter((metric) => metric.kind === 'unique'));
  return sets.some(({ dictionary }) => dictionary !== null) && !meanTheSame(sets);
}

/** Partials of rows that are made already: they hold no arrays, but may have many cells. */
const OF_CELLS: ReadonlySet<PartialResult['kind']> = new Set(['choice', 'fields', 'table']);

interface Transfer {
  readonly buffers: ArrayBuffer[];
  /** Of buffers and texts together. */
  bytes: number;
}

/** The partial that another thread can have. */
export function transferOf(partial: PartialResult): Readonly<Transfer> & { readonly partial: PartialResult } {
  const transfer: Transfer = { buffers: [], bytes: 0 };
  if (partial.kind === 'list') return { partial, ...transfer, bytes: partial.beyond };
  if (OF_CELLS.has(partial.kind)) return { partial, ...transfer };
  const left = leaving(partial, transfer);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only arrays are replaced, by copies
  return { partial: left as PartialResult, ...transfer };
}

/** Adds all arrays and texts inside, at any depth. */
function leaving(part: unknown, into: Transfer): unknown {
  if (typeof part === 'string') into.bytes += part.length;
  if (typeof part !== 'object' || part === null) return part;
  if (isArray(part)) return leavingArray(part, into);
  const own: readonly (readonly [key: string, part: unknown])[] = Object.entries(part);
  const left = own.map(([key, inner]) => [key, leaving(inner, into)] as const);
  if (left.every(([, inner], at) => inner === own[at]![1])) return part;
  return Array.isArray(part) ? left.map(([, inner]) => inner) : Object.fromEntries(left);
}

/** Partials have no other views. */
const isArray = (part: object): part is MemoryArray => ArrayBuffer.isView(part);

function leavingArray(array: MemoryArray, into: Transfer): MemoryArray {
  const own = isInMemory(array) ? heapCopy(array) : array;
  const { buffer, byteLength } = own;
  if (byteLength === 0) return own;
  if (!(buffer instanceof ArrayBuffer)) throw new Error('a partial with an array of another thread');
  into.bytes += byteLength;
  if (byteLength === buffer.byteLength) into.buffers.push(buffer);
  return own;
}

function groupsOf(partial: PartialResult): readonly GroupsPartial[] {
  if (partial.kind === 'groups') return partial.groups.flatMap(withSplits);
  const labels = 'labels' in partial ? partial.labels : null;
  return labels === null ? [] : [labels];
}

/** The groups, and those of metrics by one more field. */
function withSplits(groups: GroupsPartial): readonly GroupsPartial[] {
  return [groups, ...groups.metrics.flatMap((metric) => (metric.kind === 'per' ? withSplits(metric.groups) : []))];
}
