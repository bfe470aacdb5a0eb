/** Merges the groups of all parts into one list, and says where each part's groups went. */
import { Lease } from '../../primitives/memory.ts';
import { compareCodePoints } from '../../dsl/plan/value.ts';
import { tooManyGroups, type Budget } from '../budget.ts';
import { idsByCode } from './ids-by-code.ts';
import { PairIds } from '../groups/pair-ids.ts';
import type { RowContext } from '../query-context.ts';
import type { ValueDictionary } from '../rows/field-column.ts';
import { bytesOfText, splitTexts, type GroupKeys, type GroupsPartial, type JoinedTexts } from './metric-partial.ts';

export interface MergedGroups {
  readonly count: number;
  /** The text of a group in a group column; null: missing. */
  text(column: number, group: number): string | null;
  /** What stands for that text: groups with the same number have the same text. */
  id(column: number, group: number): number;
  /** Compares two groups by the texts of their columns, missing ones last. */
  compare(a: number, b: number): number;
  /** By part: the merged group of each of its groups. */
  readonly places: readonly Uint32Array[];
}

/** Labels of a part, and those of its events or persons. */
export interface Labelled {
  readonly labels: GroupsPartial | null;
  readonly own: Uint32Array;
}

/** Numbers the labels of all parts together, and puts these numbers in place of each part's own. */
export function mergeLabels(parts: readonly Labelled[], columns: number, limits: MergeLimits): MergedGroups {
  const groups = parts.flatMap(({ labels }) => labels ?? []);
  const merged = mergeGroups(groups, columns, limits);
  for (const [at, { own }] of parts.entries()) {
    const numbers = merged.places[at]!;
    for (let i = 0; i < own.length; i++) own[i] = numbers[own[i]!]!;
  }
  return merged;
}

export function mergeGroups(parts: readonly GroupsPartial[], columns: number, limits: MergeLimits): MergedGroups {
  if (columns === 0) {
    const count = parts.some(({ groups }) => groups > 0) ? 1 : 0;
    const places = parts.map(({ groups }) => limits.memory.words(groups).fill(0));
    return { count, text: () => null, id: () => 0, compare: () => 0, places };
  }
  const merged = Array.from({ length: columns }, (_, at) =>
    mergeKeys(
      parts.map(({ keys }) => keys[at]!),
      limits,
    ),
  );
  if (columns === 1 && parts.length > 1) return groupsOfOne(merged[0]!, parts, limits);
  if (parts.length === 1) return groupsOfPart(merged, parts[0]!, limits);
  const pairs = merged.slice(1).map(() => new PairIds(limits));
  const places = parts.map(({ keys }, nth) => {
    const [first, ...rest] = keys
      .slice(0, columns)
      .map(({ ids }, at) => translated(ids, merged[at]!.ids[nth]!, limits));
    return rest.reduce<Uint32Array>((group, ids, at) => pairs[at]!.idsOf(group, ids), first!);
  });
  const count = pairs.at(-1)!.size;
  if (count > limits.maxGroups) throw tooManyGroups(limits.maxGroups);
  return { count, places, ...byColumns(merged, (column, group) => idIn(pairs, column, group)) };
}

/** What a table has for each id. */
function translated(ids: Uint32Array, table: Uint32Array, { memory }: Pick<MergeLimits, 'memory'>): Uint32Array {
  const found = memory.words(ids.length);
  for (let at = 0; at < ids.length; at++) found[at] = table[ids[at]!]!;
  return found;
}

/** The groups of a sole part are different from each other already. */
function groupsOfPart(
  merged: readonly MergedKeys[],
  { groups, keys }: GroupsPartial,
  { maxGroups, memory }: MergeLimits,
): MergedGroups {
  if (groups > maxGroups) throw tooManyGroups(maxGroups);
  const places = memory.words(groups);
  for (let group = 0; group < groups; group++) places[group] = group;
  return { count: groups, places: [places], ...byColumns(merged, (column, group) => keys[column]!.ids[group]!) };
}

function byColumns(
  merged: readonly MergedKeys[],
  id: MergedGroups['id'],
): Pick<MergedGroups, 'id' | 'text' | 'compare'> {
  return {
    id,
    text: (column, group) => merged[column]!.text(id(column, group)),
    compare: (a, b) => {
      for (const [column, keys] of merged.entries()) {
        const order = keys.compare(id(column, a), id(column, b));
        if (order !== 0) return order;
      }
      return 0;
    },
  };
}

/** With one group column each id is a group. */
function groupsOfOne(merged: MergedKeys, parts: readonly GroupsPartial[], limits: MergeLimits): MergedGroups {
  const { maxGroups } = limits;
  const places = parts.map(({ keys }, nth) => translated(keys[0]!.ids, merged.ids[nth]!, limits));
  const missing = places.some((own) => own.includes(0));
  // Groups start at 0, whether or not one is for rows that lack the value.
  const first = missing ? 0 : 1;
  const count = merged.size + 1 - first;
  if (count > maxGroups) throw tooManyGroups(maxGroups);
  if (!missing) for (const own of places) for (let row = 0; row < own.length; row++) own[row]!--;
  return {
    count,
    places,
    text: (_column, group) => merged.text(group + first),
    id: (_column, group) => group + first,
    compare: (a, b) => merged.compare(a + first, b + first),
  };
}

/** @param pairs Of each column but the first, with what precedes it. */
function idIn(pairs: readonly PairIds[], column: number, group: number): number {
  let id = group;
  for (let at = pairs.length; at > column; at--) id = pairs[at - 1]!.first(id);
  return column === 0 ? id : pairs[column - 1]!.second(id);
}

/** The values of one group column of all parts. */
interface MergedKeys {
  /** By part: the merged id of each of its ids. 0 is missing. */
  readonly ids: readonly Uint32Array[];
  /** Ids run from 1 to this. */
  readonly size: number;
  text(id: number): string | null;
  /** As in `MergedGroups`. */
  compare(a: number, b: number): number;
}

export type MergeLimits = Pick<RowContext, 'budget' | 'memory' | 'maxGroups' | 'sharedDictionary'>;

function mergeKeys(keys: readonly GroupKeys[], limits: MergeLimits): MergedKeys {
  const [first] = keys;
  if (keys.length === 1 && first !== undefined) return onlyKeys(first, limits);
  const dictionary = first?.dictionary?.key;
  if (dictionary !== undefined && keys.every((key) => key.dictionary?.key === dictionary))
    return mergeByCode(keys, limits);
  const texts = new TextIds();
  const ids = keys.map((key) => texts.take(textsOf(key, limits)));
  return { ids, size: texts.size - 1, ...byText((id) => texts.text(id)) };
}

function onlyKeys(keys: GroupKeys, limits: MergeLimits): MergedKeys {
  const ids = limits.memory.words(sizeOf(keys) + 1);
  for (let id = 0; id < ids.length; id++) ids[id] = id;
  const rest = { ids: [ids], size: sizeOf(keys) };
  const { texts, dictionary } = keys;
  if (texts === null) return { ...rest, ...byCode(dictionaryOf(keys, limits), (id) => dictionary!.codes[id - 1]!) };
  return { ...rest, ...byText((id) => (id === 0 ? null : textAt(texts, id - 1))) };
}

type Texts = Pick<MergedKeys, 'text' | 'compare'>;

function byText(text: MergedKeys['text']): Texts {
  return { text, compare: missingLast((a, b) => compareCodePoints(text(a)!, text(b)!)) };
}

/** @param codeOf The code of an id other than 0. */
function byCode({ dictionary, budget }: Counted, codeOf: (id: number) => number): Texts {
  const text = (id: number): string | null => (id === 0 ? null : countedText(dictionary, codeOf(id), budget));
  if (dictionary.compare === undefined) return byText(text);
  return { text, compare: missingLast((a, b) => dictionary.compare!(codeOf(a), codeOf(b))) };
}

function missingLast(compare: (a: number, b: number) => number): (a: number, b: number) => number {
  return (a, b) => (a === 0 || b === 0 ? Number(a === 0) - Number(b === 0) : compare(a, b));
}

/** A dictionary whose texts are counted when they are made. */
interface Counted {
  readonly dictionary: ValueDictionary;
  readonly budget: Budget;
}

function dictionaryOf({ dictionary }: GroupKeys, limits: MergeLimits): Counted {
  return { dictionary: leftTo(dictionary?.key, limits), budget: limits.budget };
}

/** The dictionary in which texts were left. */
export function leftTo(
  key: string | undefined,
  { sharedDictionary }: Pick<MergeLimits, 'sharedDictionary'>,
): ValueDictionary {
  const found = key === undefined ? null : sharedDictionary(key);
  if (found === null) throw new Error(`texts were left to dictionary ${key}, which is not at hand`);
  return found;
}

export function countedText(dictionary: ValueDictionary, code: number, budget: Budget): string {
  const text = dictionary.text(code);
  budget.take(bytesOfText(text));
  return text;
}

/** The number of values. */
function sizeOf({ texts, dictionary }: GroupKeys): number {
  return texts?.ends.length ?? dictionary!.codes.length;
}

/** All texts; makes those that were left as codes. */
function textsOf(keys: GroupKeys, limits: MergeLimits): readonly string[] {
  if (keys.texts !== null) return splitTexts(keys.texts);
  const { dictionary, budget } = dictionaryOf(keys, limits);
  return Array.from(keys.dictionary!.codes, (code) => countedText(dictionary, code, budget));
}

/** Texts of one dictionary are compared by code: they are not even unpacked. */
function mergeByCode(keys: readonly GroupKeys[], limits: MergeLimits): MergedKeys {
  const lists = keys.map(({ dictionary }) => dictionary!.codes);
  const { ids, size, parts, places } = lists.every(isAscending)
    ? mergeAscending(lists, limits)
    : mergeAny(lists, limits);
  if (keys.some(({ texts }) => texts === null)) {
    const codeOf = (id: number): number => lists[parts[id]!]![places[id]!]!;
    return { ids, size, ...byCode(dictionaryOf(keys[0]!, limits), codeOf) };
  }
  const text = (id: number): string | null => (id === 0 ? null : textAt(keys[parts[id]!]!.texts!, places[id]!));
  return { ids, size, ...byText(text) };
}

/** Codes of all parts, numbered together. */
interface MergedCodes {
  /** By part: the number of the code at each place, plus one. */
  readonly ids: readonly Uint32Array[];
  readonly size: number;
  /** By number: where its code is. */
  readonly parts: Uint32Array;
  readonly places: Uint32Array;
}

const roomOf = (lists: readonly Uint32Array[]): number => lists.reduce((sum, { length }) => sum + length, 1);

function mergeAny(lists: readonly Uint32Array[], { memory }: MergeLimits): MergedCodes {
  const total = roomOf(lists);
  using lease = new Lease();
  const known = idsByCode(lists, total, lease);
  const [parts, places] = [memory.words(total), memory.words(total)];
  let size = 0;
  const ids = lists.map((codes, part) => {
    const own = memory.words(codes.length + 1);
    own[0] = 0;
    for (let place = 0; place < codes.length; place++) {
      const code = codes[place]!;
      let id = known.get(code);
      if (id === 0) {
        known.set(code, (id = ++size));
        parts[id] = part;
        places[id] = place;
      }
      own[place + 1] = id;
    }
    return own;
  });
  return { ids, size, parts, places };
}

/** The same of lists in order, as those of many groups are: read from one end to the other, where a table waits for memory. */
function mergeAscending(lists: readonly Uint32Array[], { memory }: MergeLimits): MergedCodes {
  const total = roomOf(lists);
  const [parts, places] = [memory.words(total), memory.words(total)];
  const ids = lists.map(({ length }) => memory.words(length + 1));
  for (const own of ids) own[0] = 0;
  const next = new Uint32Array(lists.length);
  for (let size = 0; ; size++) {
    let least = Infinity;
    for (let part = 0; part < lists.length; part++) {
      const code = lists[part]![next[part]!];
      if (code === undefined || code >= least) continue;
      least = code;
      parts[size + 1] = part;
      places[size + 1] = next[part]!;
    }
    if (least === Infinity) return { ids, size, parts, places };
    for (let part = 0; part < lists.length; part++)
      if (lists[part]![next[part]!] === least) ids[part]![++next[part]!] = size + 1;
  }
}

function isAscending(codes: Uint32Array): boolean {
  for (let at = 1; at < codes.length; at++) if (codes[at]! <= codes[at - 1]!) return false;
  return true;
}

function textAt({ text, ends }: JoinedTexts, place: number): string {
  return text.slice(place === 0 ? 0 : ends[place - 1]!, ends[place]!);
}

/** Numbers the texts of all parts together; 0 is missing. */
export class TextIds {
  readonly #texts: (string | null)[] = [null];
  readonly #ids = new Map<string, number>();

  get size(): number {
    return this.#texts.length;
  }

  text(id: number): string | null {
    return this.#texts[id]!;
  }

  /** The ids of a part's texts, by the part's own ids: text k is its id k + 1. */
  take(texts: readonly string[]): Uint32Array {
    const ids = new Uint32Array(texts.length + 1);
    for (let k = 0; k < texts.length; k++) {
      const text = texts[k]!;
      let id = this.#ids.get(text);
      if (id === undefined) {
        id = this.#texts.push(text) - 1;
        this.#ids.set(text, id);
      }
      ids[k + 1] = id;
    }
    return ids;
  }
}
