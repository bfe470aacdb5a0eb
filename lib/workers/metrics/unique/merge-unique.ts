/** Distinct counts of groups whose rows are in several parts. */
import { DistinctPairs } from '../../groups/distinct-pairs.ts';
import { countUnion, forBits } from './bit-sets.ts';
import { countedText, leftTo, TextIds, type MergeLimits } from '../merge-groups.ts';
import { kept } from '../../../base/kept.ts';
import { splitTexts, type UniquePartial } from '../metric-partial.ts';

/** @param places By part: the merged group of each of its groups. Returns the count of each merged group. */
export function mergeUnique(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  count: number,
  limits: MergeLimits,
): Float64Array {
  const counts = new Float64Array(count);
  for (const [at, part] of parts.entries()) {
    for (let group = 0; group < part.counts.length; group++) {
      if (part.closed[group] === 1) counts[places[at]![group]!]! += part.counts[group]!;
    }
  }
  if (areBits(parts)) for (const [place, sets] of setsByPlace(parts, places)) counts[place]! += countUnion(sets);
  else mergeIds(parts, places, counts, limits);
  return counts;
}

/** Whether all open groups are sets of bits that mean the same. */
export function areBits(parts: readonly UniquePartial[]): boolean {
  return meanTheSame(parts) && parts.every(({ bits, closed }) => bits !== null || closed.every((one) => one === 1));
}

/** The set of each merged group that is open. May change the parts' own. */
export function mergeBits(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
): ReadonlyMap<number, Uint32Array> {
  return new Map(Array.from(setsByPlace(parts, places), ([place, sets]) => [place, sets.reduce(united)]));
}

/** What the parts have of each merged group that is open. */
function setsByPlace(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
): ReadonlyMap<number, readonly Uint32Array[]> {
  const found = new Map<number, Uint32Array[]>();
  for (const [at, { bits }] of parts.entries()) {
    for (const [group, words] of (bits ?? []).entries())
      if (words !== null) kept(found, places[at]![group]!, () => []).push(words);
  }
  return found;
}

/** Whether all ids are codes of one dictionary. */
export function meanTheSame(parts: readonly UniquePartial[]): boolean {
  const some = parts.filter(({ texts }) => texts === null || texts.ends.length > 0);
  return some.every(({ dictionary }) => dictionary !== null && dictionary === some[0]!.dictionary);
}

/** Maps what stands for a text in a part to the text's id. */
export function textIdsOf(
  { texts, dictionary }: UniquePartial,
  ids: TextIds,
  limits: MergeLimits,
): (id: number) => number {
  if (texts !== null) {
    const own = ids.take(splitTexts(texts));
    return (id) => own[id + 1]!;
  }
  const shared = leftTo(dictionary ?? undefined, limits);
  const known = new Map<number, number>();
  return (code) => {
    let id = known.get(code);
    if (id === undefined) known.set(code, (id = ids.take([countedText(shared, code, limits.budget)])[1]!));
    return id;
  };
}

/** The union of both sets, in the longer array. */
function united(a: Uint32Array, b: Uint32Array): Uint32Array {
  const [long, short] = a.length < b.length ? [b, a] : [a, b];
  for (let at = 0; at < short.length; at++) long[at]! |= short[at]!;
  return long;
}

function mergeIds(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  counts: Float64Array,
  limits: MergeLimits,
): void {
  const texts = meanTheSame(parts) ? null : new TextIds();
  const pairs = new DistinctPairs(limits);
  for (const [at, part] of parts.entries()) {
    const idOf = texts === null ? (id: number): number => id : textIdsOf(part, texts, limits);
    const own = places[at]!;
    forIds(part, (group, id) => pairs.put(own[group]!, idOf(id)));
  }
  const found = pairs.pairs();
  for (let at = 1; at < found.length; at += 2) counts[found[at]!]!++;
  pairs.release();
}

/** An id, its group, and a number of both. */
export const BYTES_PER_ID: number = 3 * Uint32Array.BYTES_PER_ELEMENT;

/** Visits all ids of open groups. */
export function forIds({ bits, ends, ids }: UniquePartial, use: (group: number, id: number) => void): void {
  for (const [group, words] of (bits ?? []).entries()) if (words !== null) forBits(words, (id) => use(group, id));
  if (ends === null || ids === null) return;
  for (let group = 0, at = 0; group < ends.length; group++) for (; at < ends[group]!; at++) use(group, ids[at]!);
}
