/** The groups of all parts as one list, and where each part's groups went. */
import type { Budget } from '../budget.ts';
import { tooManyGroups } from '../budget.ts';
import type { GroupKeys, GroupsPartial } from '../groups/aggregation.ts';
import { PairTable } from '../groups/pair-table.ts';
import { unpackTexts, type PackedTexts } from './metric-partial.ts';
import { threshold } from '../../threshold.ts';

export interface MergedGroups {
  readonly count: number;
  /** The text of a group in a group column; null: missing. */
  text(column: number, group: number): string | null;
  /** By part: the merged group of each of its groups. */
  readonly places: readonly Uint32Array[];
}

export function mergeGroups(
  parts: readonly GroupsPartial[],
  columns: number,
  limits: { readonly budget: Budget; readonly maxGroups: number },
): MergedGroups {
  if (columns === 0) {
    const count = parts.some(({ groups }) => groups > 0) ? 1 : 0;
    return { count, text: () => null, places: parts.map(({ groups }) => new Uint32Array(groups)) };
  }
  const merged = Array.from({ length: columns }, (_, at) => mergeKeys(parts.map(({ keys }) => keys[at]!)));
  if (columns === 1 && parts.length > 1) return groupsOfOne(merged[0]!, parts, limits.maxGroups);
  const pairs = merged.map(() => new PairTable(limits.budget));
  const places = parts.map((part, nth) => {
    const group = new Uint32Array(part.groups);
    for (let at = 0; at < columns; at++) {
      const { ids } = part.keys[at]!;
      const own = merged[at]!.ids[nth]!;
      for (let row = 0; row < group.length; row++) group[row] = pairs[at]!.id(group[row]!, own[ids[row]!]!);
    }
    return group;
  });
  const count = pairs.at(-1)!.size;
  if (count > limits.maxGroups) throw tooManyGroups(limits.maxGroups);
  return { count, places, text: (column, group) => textOf({ merged, pairs, column }, group) };
}

/** Of one group column each id is a group. */
function groupsOfOne(merged: MergedKeys, parts: readonly GroupsPartial[], maxGroups: number): MergedGroups {
  const places = parts.map(({ keys }, nth) => keys[0]!.ids.map((id) => merged.ids[nth]![id]!));
  const missing = places.some((own) => own.includes(0));
  // Groups run from 0, with or without that of rows that lack the value.
  const first = missing ? 0 : 1;
  const count = merged.size + 1 - first;
  if (count > maxGroups) throw tooManyGroups(maxGroups);
  if (!missing) for (const own of places) for (let row = 0; row < own.length; row++) own[row]!--;
  return { count, places, text: (_column, group) => merged.text(group + first) };
}

function textOf(
  { merged, pairs, column }: { merged: readonly MergedKeys[]; pairs: readonly PairTable[]; column: number },
  group: number,
): string | null {
  let id = group;
  for (let at = pairs.length - 1; at > column; at--) id = pairs[at]!.first(id);
  return merged[column]!.text(pairs[column]!.second(id));
}

/** The values of one group column of all parts. */
interface MergedKeys {
  /** By part: the merged id of each of its ids. 0 is missing. */
  readonly ids: readonly Uint32Array[];
  /** Ids run from 1 to this. */
  readonly size: number;
  text(id: number): string | null;
}

function mergeKeys(keys: readonly GroupKeys[]): MergedKeys {
  const [first] = keys;
  if (keys.length === 1 && first !== undefined) return onlyKeys(first);
  const book = first?.book?.key;
  if (book !== undefined && keys.every((key) => key.book?.key === book)) return mergeByCode(keys);
  const texts = new TextIds();
  return {
    ids: keys.map((key) => texts.take(unpackTexts(key.texts))),
    size: texts.size - 1,
    text: (id) => texts.text(id),
  };
}

function onlyKeys({ texts }: GroupKeys): MergedKeys {
  const ids = new Uint32Array(texts.ends.length + 1);
  for (let id = 0; id < ids.length; id++) ids[id] = id;
  return { ids: [ids], size: texts.ends.length, text: (id) => (id === 0 ? null : textAt(texts, id - 1)) };
}

/** Texts of one dictionary are known by their codes: they are not even unpacked. */
function mergeByCode(keys: readonly GroupKeys[]): MergedKeys {
  const total = keys.reduce((sum, { texts }) => sum + texts.ends.length, 0);
  const known = idsByCode(keys, total);
  /** Where the text of each id stands. */
  const parts = new Uint32Array(total + 1);
  const texts = new Uint32Array(total + 1);
  let size = 0;
  const ids = keys.map(({ book }, part) => {
    const { codes } = book!;
    const own = new Uint32Array(codes.length + 1);
    for (let place = 0; place < codes.length; place++) {
      const code = codes[place]!;
      let id = known.get(code);
      if (id === 0) {
        known.set(code, (id = ++size));
        parts[id] = part;
        texts[id] = place;
      }
      own[place + 1] = id;
    }
    return own;
  });
  return { ids, size, text: (id) => (id === 0 ? null : textAt(keys[parts[id]!]!.texts, texts[id]!)) };
}

/** Ids by code, 0 of one without: in an array unless that would be far larger than what is in it. */
function idsByCode(
  keys: readonly GroupKeys[],
  total: number,
): { get(code: number): number; set(code: number, id: number): void } {
  let most = 0;
  for (const { book } of keys) for (const code of book!.codes) if (code > most) most = code;
  if (most <= SPARSE.value * (total + 64)) {
    const ids = new Uint32Array(most + 1);
    return { get: (code) => ids[code]!, set: (code, id) => (ids[code] = id) };
  }
  const ids = new Map<number, number>();
  return { get: (code) => ids.get(code) ?? 0, set: (code, id) => ids.set(code, id) };
}

/** Places of an array per id in it, at most. */
const SPARSE = threshold('array places of an id', 16, { least: -1_024 });

function textAt({ text, ends }: PackedTexts, place: number): string {
  return text.slice(place === 0 ? 0 : ends[place - 1]!, ends[place]!);
}

/** Texts of all parts by one numbering; 0 is missing. */
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
