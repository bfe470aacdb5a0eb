/** The buffers of a partial, transferred between threads instead of copied. */
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

export function transferOf(partial: PartialResult): Readonly<Transfer> {
  const transfer = { buffers: [], bytes: 0 };
  if (partial.kind === 'list') transfer.bytes = partial.beyond;
  else if (!OF_CELLS.has(partial.kind)) collect(partial, transfer);
  return transfer;
}

/** Adds all arrays and texts inside, at any depth. */
function collect(part: unknown, into: Transfer): void {
  if (typeof part === 'string') into.bytes += part.length;
  if (typeof part !== 'object' || part === null) return;
  if (ArrayBuffer.isView(part)) {
    const { buffer, byteLength } = part;
    if (byteLength === 0) return;
    if (!(buffer instanceof ArrayBuffer)) throw new Error('a partial owns its arrays');
    into.bytes += byteLength;
    if (byteLength === buffer.byteLength) into.buffers.push(buffer);
    return;
  }
  const parts: unknown[] = Object.values(part);
  for (const inner of parts) collect(inner, into);
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
