/** What one part found by groups. Plain data that crosses threads. */
import type { Hold } from '../../primitives/columns.ts';
import { Lease } from '../../primitives/memory.ts';
import { idsByCode } from './ids-by-code.ts';

/** The groups that have rows, and the results of each. */
export interface GroupsPartial {
  readonly groups: number;
  /** By group of the plan: the id of each group here; 0 is missing, id k is text k - 1. */
  readonly keys: readonly GroupKeys[];
  /** By source (`sourcesOf`). */
  readonly metrics: readonly MetricPartial[];
}

export interface GroupKeys {
  readonly ids: Uint32Array;
  /** null: texts are left as codes of `dictionary`, since few may be needed in the end. */
  readonly texts: JoinedTexts | null;
  /** If all texts are of one dictionary: its key, and the code of each text. */
  readonly dictionary?: { readonly key: string; readonly codes: Uint32Array };
}

/** A text that is made and then joined with the others: two bytes a character each time, and the string itself. */
export const bytesOfText = (text: string): number => 4 * text.length + 40;

/** What was found for one metric, an element per group. */
export type MetricPartial =
  | { readonly kind: 'count'; readonly counts: Float64Array }
  /** The sum is `sums + errors`, which hold what rounding lost on the way. */
  | {
      readonly kind: 'sum';
      readonly sums: Float64Array;
      readonly errors: Float64Array;
      readonly counts: Float64Array;
    }
  /** NaN where there was no number. */
  | { readonly kind: 'min' | 'max'; readonly values: Float64Array }
  /** The numbers of group g are values[ends[g - 1]] to values[ends[g] - 1], in any order. */
  | { readonly kind: 'numbers'; readonly ends: Float64Array; readonly values: Float64Array }
  /** How many numbers, their mean, and the sum of the squares of their distances from it. */
  | {
      readonly kind: 'moments';
      readonly counts: Float64Array;
      readonly means: Float64Array;
      readonly squares: Float64Array;
    }
  /** Pair k: group groups[k] has text ids[k] counts[k] times. For groups that no other part has, only the winner. */
  | {
      readonly kind: 'mode';
      readonly groups: Uint32Array;
      readonly ids: Uint32Array;
      readonly counts: Uint32Array;
      readonly texts: JoinedTexts;
    }
  /** Groups that are split by one more field, and the metrics of these. */
  | { readonly kind: 'per'; readonly groups: GroupsPartial }
  | UniquePartial;

/** The results of sets of ids, by group; `bits` or `ends` and `ids` only for open groups. */
export type FoundSets = Pick<UniquePartial, 'counts' | 'bits' | 'ends' | 'ids'>;

/**
 * Distinct ids of each group. If no other part can have rows of a group (`closed`), its count is enough; else its ids are sent:
 * as bits (bit id of word id / 32), or as a list (ids[ends[g - 1]] to ids[ends[g] - 1]).
 */
export interface UniquePartial {
  readonly kind: 'unique';
  readonly counts: Float64Array;
  /** 1: the count is final. 0: the ids are in `bits` or `ids`. */
  readonly closed: Uint8Array;
  readonly bits: BitsOfGroups | null;
  readonly ends: Float64Array | null;
  readonly ids: Uint32Array | null;
  /** The texts of ids, if ids mean other things in other parts; null: ids are codes of `dictionary`. */
  readonly texts: JoinedTexts | null;
  /** The key of the dictionary; null if there is none, or no id at all. */
  readonly dictionary: string | null;
}

/** The sets of the open groups, one after the other, in one array: there may be a million. Bit 0, nobody, is clear. */
export interface BitsOfGroups {
  /** Words of each. */
  readonly each: number;
  readonly words: Uint32Array<ArrayBuffer>;
}

/** Texts by number: text k is text.slice(ends[k - 1], ends[k]). One long string crosses threads faster than many. */
export interface JoinedTexts {
  readonly text: string;
  readonly ends: Uint32Array;
}

export function joinTexts(texts: readonly string[]): JoinedTexts {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let k = 0; k < texts.length; k++) ends[k] = end += texts[k]!.length;
  return { text: texts.join(''), ends };
}

/** The texts that ids stand for, each once; and by id given, the index of its text. @param memory Of these indices. */
export function packUsed(
  used: Uint32Array,
  textOf: (id: number) => string | null,
  memory: Hold,
): { readonly ids: Uint32Array; readonly texts: JoinedTexts } {
  using lease = new Lease();
  const known = idsByCode([used], used.length, lease);
  const texts: string[] = [];
  const ids = memory.words(used.length);
  for (let at = 0; at < used.length; at++) {
    const id = used[at]!;
    let place = known.get(id);
    if (place === 0) known.set(id, (place = texts.push(textOf(id) ?? '')));
    ids[at] = place - 1;
  }
  return { ids, texts: joinTexts(texts) };
}

export function splitTexts({ text, ends }: JoinedTexts): string[] {
  const texts = new Array<string>(ends.length);
  for (let k = 0; k < ends.length; k++) texts[k] = text.slice(k === 0 ? 0 : ends[k - 1]!, ends[k]!);
  return texts;
}
