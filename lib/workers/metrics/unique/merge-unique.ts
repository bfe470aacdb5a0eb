/** Distinct counts of groups whose rows are in several parts. */
import { PairIds } from '../../groups/pair-ids.ts';
import { countIds, forBits } from './bit-sets.ts';
import { countedText, leftTo, TextIds, type MergeLimits } from '../merge-groups.ts';
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
  if (areBits(parts)) for (const [place, words] of mergeBits(parts, places)) counts[place]! += countIds(words);
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
  const merged = new Map<number, Uint32Array>();
  for (const [at, { bits }] of parts.entries()) {
    for (const [group, words] of (bits ?? []).entries()) {
      if (words === null) continue;
      const place = places[at]![group]!;
      const before = merged.get(place);
      merged.set(place, before === undefined ? words : united(before, words));
    }
  }
  return merged;
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
  const pairs = new PairIds(limits);
  for (const [at, part] of parts.entries()) {
    const idOf = texts === null ? (id: number): number => id : textIdsOf(part, texts, limits);
    const count = (part.bits ?? []).reduce((sum, words) => sum + (words === null ? 0 : countIds(words)), 0);
    const length = count + (part.ids?.length ?? 0);
    limits.budget.take(length * BYTES_PER_ID);
    const [groups, ids] = [new Uint32Array(length), new Uint32Array(length)];
    let next = 0;
    forIds(part, (group, id) => {
      groups[next] = places[at]![group]!;
      ids[next++] = idOf(id);
    });
    pairs.idsOf(groups, ids);
    limits.budget.release(length * BYTES_PER_ID);
  }
  const firsts = pairs.firsts();
  for (let at = 0; at < firsts.length; at++) counts[firsts[at]!]!++;
}

/** An id, its group, and a number of both. */
export const BYTES_PER_ID: number = 3 * Uint32Array.BYTES_PER_ELEMENT;

/** Visits all ids of open groups. */
export function forIds({ bits, ends, ids }: UniquePartial, use: (group: number, id: number) => void): void {
  for (const [group, words] of (bits ?? []).entries()) if (words !== null) forBits(words, (id) => use(group, id));
  if (ends === null || ids === null) return;
  for (let group = 0, at = 0; group < ends.length; group++) for (; at < ends[group]!; at++) use(group, ids[at]!);
}
