/** The groups of all parts as one list, and where each part's groups went. */
import type { Budget } from '../budget.ts';
import { tooManyGroups } from '../budget.ts';
import type { GroupKeys, GroupsPartial } from '../groups/aggregation.ts';
import { PairTable } from '../groups/pair-table.ts';
import { unpackTexts, type PackedTexts } from './metric-partial.ts';

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
  text(id: number): string | null;
}

function mergeKeys(keys: readonly GroupKeys[]): MergedKeys {
  const [first] = keys;
  if (keys.length === 1 && first !== undefined) return onlyKeys(first);
  const book = first?.book?.key;
  if (book !== undefined && keys.every((key) => key.book?.key === book)) return mergeByCode(keys);
  const texts = new TextIds();
  return { ids: keys.map((key) => texts.take(unpackTexts(key.texts))), text: (id) => texts.text(id) };
}

function onlyKeys({ texts }: GroupKeys): MergedKeys {
  const ids = new Uint32Array(texts.ends.length + 1);
  for (let id = 0; id < ids.length; id++) ids[id] = id;
  return { ids: [ids], text: (id) => (id === 0 ? null : textAt(texts, id - 1)) };
}

/** Texts of one dictionary are known by their codes: they are not even unpacked. */
function mergeByCode(keys: readonly GroupKeys[]): MergedKeys {
  const known = new Map<number, number>();
  const sources: { readonly part: number; readonly place: number }[] = [];
  const ids = keys.map(({ book, texts }, part) => {
    const own = new Uint32Array(texts.ends.length + 1);
    for (let place = 0; place < texts.ends.length; place++) {
      const code = book!.codes[place]!;
      let id = known.get(code);
      if (id === undefined) known.set(code, (id = sources.push({ part, place })));
      own[place + 1] = id;
    }
    return own;
  });
  const text = (id: number): string | null => {
    const source = sources[id - 1];
    return source === undefined ? null : textAt(keys[source.part]!.texts, source.place);
  };
  return { ids, text };
}

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
