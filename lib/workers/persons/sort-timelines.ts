/** Sorts each member's events by time and arrival, unless they are sorted already. */
import type { RowContext } from '../query-context.ts';
import { threshold } from '../../base/threshold.ts';

/** Up to this many events are sorted by insertion: most persons have few, and late ones are near their place. */
const FEW = threshold('events sorted by insertion', 24, { least: 1 });
const CHECK_EVERY = 16_384;

/** The events of member m are those from `starts[m]` to `starts[m + 1] - 1`. */
export interface MemberEvents {
  readonly starts: Uint32Array;
  readonly times: Float64Array;
  readonly arrivals: Float64Array | null;
  readonly labels: Uint32Array | null;
}

export function sortTimelines(timelines: MemberEvents, members: number, context: RowContext): void {
  const { starts } = timelines;
  for (let member = 0; member < members; member++) {
    if (member % CHECK_EVERY === 0) context.checkpoint();
    const from = starts[member]!;
    const to = starts[member + 1]!;
    if (to - from < 2 || isSorted(timelines, from, to)) continue;
    if (to - from <= FEW.value) insertInOrder(timelines, from, to);
    else sortMany(timelines, from, to, context);
  }
}

/** Negative if event a is before event b. */
function compare({ times, arrivals }: MemberEvents, a: number, b: number): number {
  return times[a]! - times[b]! || (arrivals === null ? 0 : arrivals[a]! - arrivals[b]!);
}

function isSorted(timelines: MemberEvents, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) if (compare(timelines, at - 1, at) > 0) return false;
  return true;
}

function insertInOrder(timelines: MemberEvents, from: number, to: number): void {
  for (let at = from + 1; at < to; at++) {
    for (let k = at; k > from && compare(timelines, k - 1, k) > 0; k--) swap(timelines, k - 1, k);
  }
}

function swap({ times, arrivals, labels }: MemberEvents, a: number, b: number): void {
  swapIn(times, a, b);
  if (arrivals !== null) swapIn(arrivals, a, b);
  if (labels !== null) swapIn(labels, a, b);
}

function swapIn(values: Float64Array | Uint32Array, a: number, b: number): void {
  const held = values[a]!;
  values[a] = values[b]!;
  values[b] = held;
}

function sortMany(timelines: MemberEvents, from: number, to: number, context: RowContext): void {
  const bytes = (to - from) * 16;
  context.budget.take(bytes);
  const order = new Uint32Array(to - from);
  for (let i = 0; i < order.length; i++) order[i] = from + i;
  order.sort((a, b) => compare(timelines, a, b) || a - b);
  const { times, arrivals, labels } = timelines;
  for (const values of [times, arrivals, labels]) {
    if (values === null) continue;
    const sorted = Float64Array.from(order, (at) => values[at]!);
    values.set(sorted, from);
  }
  context.budget.release(bytes);
}
