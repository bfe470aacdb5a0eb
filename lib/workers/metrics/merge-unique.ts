/** Distinct counts of groups that several parts have rows of. */
import type { Budget } from '../budget.ts';
import { PairTable } from '../groups/pair-table.ts';
import { countIds, forBits } from './bit-sets.ts';
import { TextIds } from './merge-groups.ts';
import { unpackTexts, type UniquePartial } from './metric-partial.ts';

/** @param places By part: the merged group of each of its groups. Returns the count of each merged group. */
export function mergeUnique(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  count: number,
  budget: Budget,
): Float64Array {
  const counts = new Float64Array(count);
  for (const [at, part] of parts.entries()) {
    for (let group = 0; group < part.counts.length; group++) {
      if (part.closed[group] === 1) counts[places[at]![group]!]! += part.counts[group]!;
    }
  }
  if (parts.every(({ bits, closed }) => bits !== null || closed.every((one) => one === 1)))
    mergeBits(parts, places, counts);
  else mergeIds(parts, places, counts, budget);
  return counts;
}

function mergeBits(parts: readonly UniquePartial[], places: readonly Uint32Array[], counts: Float64Array): void {
  const merged = new Map<number, Uint32Array>();
  for (const [at, { bits }] of parts.entries()) {
    for (const [group, words] of (bits ?? []).entries()) {
      if (words === null) continue;
      const place = places[at]![group]!;
      const before = merged.get(place);
      merged.set(place, before === undefined ? words : united(before, words));
    }
  }
  for (const [place, words] of merged) counts[place]! += countIds(words);
}

/** Both sets in the longer array. */
function united(a: Uint32Array, b: Uint32Array): Uint32Array {
  const [long, short] = a.length < b.length ? [b, a] : [a, b];
  for (let at = 0; at < short.length; at++) long[at]! |= short[at]!;
  return long;
}

function mergeIds(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  counts: Float64Array,
  budget: Budget,
): void {
  const texts = new TextIds();
  const pairs = new PairTable(budget);
  for (const [at, part] of parts.entries()) {
    const ids = part.texts === null ? null : texts.take(unpackTexts(part.texts));
    forIds(part, (group, id) => pairs.id(places[at]![group]!, ids === null ? id : ids[id + 1]!));
  }
  const firsts = pairs.firsts();
  for (let at = 0; at < firsts.length; at++) counts[firsts[at]!]!++;
}

/** All ids of open groups. */
function forIds({ bits, ends, ids }: UniquePartial, use: (group: number, id: number) => void): void {
  for (const [group, words] of (bits ?? []).entries()) {
    if (words !== null) forBits(words, (id) => use(group, id));
  }
  if (ends === null || ids === null) return;
  for (let group = 0, at = 0; group < ends.length; group++) {
    for (; at < ends[group]!; at++) use(group, ids[at]!);
  }
}
