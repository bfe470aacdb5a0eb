/** Distinct counts of groups whose rows are in several parts. */
import { DistinctPairs } from '../../groups/distinct-pairs.ts';
import { bitsOf, countUnion, forBits, forSets } from './bit-sets.ts';
import { countedText, leftTo, TextIds, type MergeLimits } from '../merge-groups.ts';
import { threshold } from '../../../base/threshold.ts';
import { splitTexts, type UniquePartial } from '../metric-partial.ts';

/** @param places By part: the merged group of each of its groups. Returns the count of each merged group. */
export function mergeUnique(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  count: number,
  limits: MergeLimits,
): Float64Array {
  const counts = limits.memory.floats(count).fill(0);
  for (const [at, part] of parts.entries()) {
    for (let group = 0; group < part.counts.length; group++) {
      if (part.closed[group] === 1) counts[places[at]![group]!]! += part.counts[group]!;
    }
  }
  if (areBits(parts)) countMerged(parts, places, counts, limits);
  else mergeIds(parts, places, counts, limits);
  return counts;
}

/** Whether all open groups are sets of bits that mean the same. */
export function areBits(parts: readonly UniquePartial[]): boolean {
  return meanTheSame(parts) && parts.every(({ bits, closed }) => bits !== null || closed.every((one) => one === 1));
}

/** From so many words on, sets are united by primitives; of smaller ones there may be a million, and each call takes longer. */
const MANY_WORDS = threshold('words of a set that is united by primitives', 16);

/** Adds how many ids each merged group has whose sets are open. */
function countMerged(
  parts: readonly UniquePartial[],
  places: readonly Uint32Array[],
  counts: Float64Array,
  { memory }: MergeLimits,
): void {
  const each = parts.reduce((most, { bits }) => Math.max(most, bits?.each ?? 0), 0);
  /** By part and merged group: where its set begins. */
  const starts = parts.map(({ bits, closed }, at) => {
    const own = memory.words(counts.length).fill(NO_SET);
    if (bits === null) return own;
    let from = 0;
    for (let group = 0; group < closed.length; group++) {
      if (closed[group] === 1) continue;
      own[places[at]![group]!] = from;
      from += bits.each;
    }
    return own;
  });
  const sets = parts.map(({ bits }, part) => ({ starts: starts[part]!, words: bits?.words ?? NO_WORDS, each: bits?.each ?? 0 })); // prettier-ignore
  const count = each < MANY_WORDS.value ? countInline : countByPrimitives;
  for (let group = 0; group < counts.length; group++) counts[group]! += count(sets, group, each);
}

const NO_SET = 0xffffffff;
const NO_WORDS = new Uint32Array(0);

/** The sets of a part. */
interface SetsOfPart {
  readonly starts: Uint32Array;
  readonly words: Uint32Array;
  /** Words of each. */
  readonly each: number;
}

function countByPrimitives(parts: readonly SetsOfPart[], group: number): number {
  const sets: Uint32Array[] = [];
  for (const { starts, words, each } of parts) {
    const start = starts[group]!;
    if (start !== NO_SET) sets.push(words.subarray(start, start + each));
  }
  return sets.length === 0 ? 0 : countUnion(sets);
}

/** @param longest Words of the longest set. */
function countInline(parts: readonly SetsOfPart[], group: number, longest: number): number {
  let count = 0;
  for (let word = 0; word < longest; word++) {
    let bits = 0;
    for (let part = 0; part < parts.length; part++) {
      const { starts, words, each } = parts[part]!;
      if (starts[group] !== NO_SET && word < each) bits |= words[starts[group]! + word]!;
    }
    count += bitsOf(bits);
  }
  return count;
}

/** Undefined: the merged group has no set. */
export type SetOf = (group: number) => Uint32Array | undefined;

/** The set of each merged group that is open, in one array. @param count Of merged groups. */
export function mergeBits(parts: readonly UniquePartial[], places: readonly Uint32Array[], count: number): SetOf {
  /** By merged group: which set is its own, from 1. */
  const nth = new Uint32Array(count);
  let groups = 0;
  for (const [at, { closed, bits }] of parts.entries()) {
    if (bits === null) continue;
    const own = places[at]!;
    for (let group = 0; group < closed.length; group++)
      if (closed[group] === 0 && nth[own[group]!] === 0) nth[own[group]!] = ++groups;
  }
  const each = parts.reduce((most, { bits }) => Math.max(most, bits?.each ?? 0), 0);
  const all = new Uint32Array(groups * each);
  for (const [at, { closed, bits }] of parts.entries()) {
    if (bits === null) continue;
    let from = 0;
    for (let group = 0; group < closed.length; group++) {
      if (closed[group] === 1) continue;
      const to = (nth[places[at]![group]!]! - 1) * each;
      for (let word = 0; word < bits.each; word++) all[to + word]! |= bits.words[from + word]!;
      from += bits.each;
    }
  }
  return (group) => (nth[group] === 0 ? undefined : all.subarray((nth[group]! - 1) * each, nth[group]! * each));
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
export function forIds({ bits, closed, ends, ids }: UniquePartial, use: (group: number, id: number) => void): void {
  const isOpen = (group: number): boolean => closed[group] === 0;
  if (bits !== null) forSets(bits, isOpen, closed.length, (group, set) => forBits(set, (id) => use(group, id)));
  if (ends === null || ids === null) return;
  for (let group = 0, at = 0; group < ends.length; group++) for (; at < ends[group]!; at++) use(group, ids[at]!);
}
