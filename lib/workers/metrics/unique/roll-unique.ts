/** Distinct ids in windows of time that overlap: sets of bits are united, as they are few; of other sets each id is counted. */
import { PairIds } from '../../groups/pair-ids.ts';
import type { MergeLimits } from '../merge-groups.ts';
import { TextIds } from '../merge-groups.ts';
import type { UniquePartial } from '../metric-partial.ts';
import type { CellGroups } from '../cell-groups.ts';
import { countIds } from './bit-sets.ts';
import { slide } from '../slide.ts';
import { areBits, forIds, meanTheSame, mergeBits, type SetOf, textIdsOf, BYTES_PER_ID } from './merge-unique.ts';

/** The count of each window. @param places By part: the merged group of each of its groups. */
export function rollUnique(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  groups: CellGroups,
  limits: MergeLimits,
): Float64Array<ArrayBuffer> {
  const longest = parts.reduce((most, { bits }) => Math.max(most, bits?.each ?? 0), 0);
  /** Of a window, and of as many suffixes as there may be. */
  const bytes = (groups.cells.starts.length + 2) * longest * 4;
  if (!areBits(parts) || bytes > limits.budget.left) return rollIds(parts, places, groups, limits);
  limits.budget.take(bytes);
  const counts = rollBits(mergeBits(parts, places, groups.cellOf.length), groups);
  limits.budget.release(bytes);
  return counts;
}

const NOBODY = new Uint32Array(0);

/** @param setOf By merged group. */
function rollBits(setOf: SetOf, groups: CellGroups): Float64Array<ArrayBuffer> {
  const counts = new Float64Array(groups.count * groups.cells.first.length);
  slide(groups, {
    empty: NOBODY,
    add: union,
    of: (group) => setOf(group) ?? NOBODY,
    use: (window, words) => {
      counts[window] = countIds(words);
    },
  });
  return counts;
}

function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length < b.length) return union(b, a);
  if (b.length === 0) return a;
  const words = a.slice();
  for (let at = 0; at < b.length; at++) words[at]! |= b[at]!;
  return words;
}

/**
 * The windows that have a cell follow each other, so an id's cells, in order of time, are in stretches of windows that may overlap:
 * where each further stretch begins and ends is noted, and summed up in the end.
 */
function rollIds(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  { cells, outers, cellOf, count }: CellGroups,
  limits: MergeLimits,
): Float64Array<ArrayBuffer> {
  const found = idsByGroup(parts, places, limits);
  const order = inOrderOfCells(found.groups, cellOf, cells.starts.length);
  const slots = slotsOf(found, outers, count, limits);
  const { first, last } = windowsOfCells(cells);
  const windows = cells.first.length;
  const counts = new Float64Array(count * windows);
  /** Where stretches begin, less where they end; an element more than windows. */
  const changes = new Float64Array(count * (windows + 1));
  /** By slot: one more than the last window that counts its id. */
  const counted = new Uint32Array(slots.size);
  for (let k = 0; k < order.length; k++) {
    const at = order[k]!;
    const group = found.groups[at]!;
    const cell = cellOf[group]!;
    const slot = slots.of(at);
    const [from, to] = [Math.max(first[cell]!, counted[slot]!), last[cell]! + 1];
    if (from >= to) continue;
    const base = outers[group]! * (windows + 1);
    changes[base + from]!++;
    changes[base + to]!--;
    counted[slot] = to;
  }
  for (let outer = 0; outer < count; outer++) {
    let open = 0;
    for (let at = 0; at < windows; at++) {
      open += changes[outer * (windows + 1) + at]!;
      counts[outer * windows + at] = open;
    }
  }
  limits.budget.release(found.ids.length * BYTES_PER_ID);
  return counts;
}

interface FoundIds {
  /** The merged group of each. */
  readonly groups: Uint32Array;
  readonly ids: Uint32Array;
}

/** The ids of all parts. One may be there several times. */
function idsByGroup(parts: readonly UniquePartial[], places: readonly Uint32Array[], limits: MergeLimits): FoundIds {
  const texts = meanTheSame(parts) ? null : new TextIds();
  const countIn = ({ bits, ids }: UniquePartial): number =>
    (bits === null ? 0 : countIds(bits.words)) + (ids?.length ?? 0);
  const total = parts.reduce((sum, part) => sum + countIn(part), 0);
  limits.budget.take(total * BYTES_PER_ID);
  const [groups, ids] = [new Uint32Array(total), new Uint32Array(total)];
  let next = 0;
  for (const [at, part] of parts.entries()) {
    const idOf = texts === null ? (id: number): number => id : textIdsOf(part, texts, limits);
    const own = places[at]!;
    forIds(part, (group, id) => {
      groups[next] = own[group]!;
      ids[next++] = idOf(id);
    });
  }
  return { groups, ids };
}

/** Indexes of the ids, by cells: counting sort. */
function inOrderOfCells(groups: Uint32Array, cellOf: Uint32Array, cells: number): Uint32Array {
  const next = new Uint32Array(cells + 1);
  for (let at = 0; at < groups.length; at++) next[cellOf[groups[at]!]! + 1]!++;
  for (let cell = 0; cell < cells; cell++) next[cell + 1]! += next[cell]!;
  const order = new Uint32Array(groups.length);
  for (let at = 0; at < groups.length; at++) order[next[cellOf[groups[at]!]!]!++] = at;
  return order;
}

/** A number for each id of each group without its time. */
function slotsOf(
  { groups, ids }: FoundIds,
  outers: Uint32Array,
  count: number,
  limits: MergeLimits,
): { readonly size: number; of(at: number): number } {
  if (count === 1) {
    let most = 0;
    for (let at = 0; at < ids.length; at++) most = Math.max(most, ids[at]!);
    limits.budget.take((most + 1) * 4);
    return { size: most + 1, of: (at) => ids[at]! };
  }
  const pairs = new PairIds(limits);
  const slots = pairs.idsOf(groups.map((group) => outers[group]!), ids); // prettier-ignore
  const { size } = pairs;
  pairs.release();
  limits.budget.take(size * 4);
  return { size, of: (at) => slots[at]! };
}

/** By cell: the first and the last window that it is in; of those that are in none, the last comes before the first. */
function windowsOfCells({ starts, first, end }: CellGroups['cells']): { first: Uint32Array; last: Int32Array } {
  const [from, to] = [new Uint32Array(starts.length), new Int32Array(starts.length)];
  let [low, high] = [0, -1];
  for (let cell = 0; cell < starts.length; cell++) {
    while (low < end.length && end[low]! <= cell) low++;
    while (high + 1 < first.length && first[high + 1]! <= cell) high++;
    from[cell] = low;
    to[cell] = high;
  }
  return { first: from, last: to };
}
