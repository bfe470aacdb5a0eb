/** The groups of all parts as one list, and where each part's groups went. */
import type { Budget } from '../budget.ts';
import { tooManyGroups } from '../budget.ts';
import type { GroupsPartial } from '../groups/aggregation.ts';
import { PairTable } from '../groups/pair-table.ts';
import { unpackTexts } from './metric-partial.ts';

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
  const texts = Array.from({ length: columns }, () => new TextIds());
  const pairs = texts.map(() => new PairTable(limits.budget));
  const places = parts.map((part) => {
    const group = new Uint32Array(part.groups);
    for (let at = 0; at < columns; at++) {
      const { ids, texts: packed } = part.keys[at]!;
      const merged = texts[at]!.take(unpackTexts(packed));
      for (let row = 0; row < group.length; row++) group[row] = pairs[at]!.id(group[row]!, merged[ids[row]!]!);
    }
    return group;
  });
  const count = pairs.at(-1)!.size;
  if (count > limits.maxGroups) throw tooManyGroups(limits.maxGroups);
  return { count, places, text: (column, group) => textOf({ texts, pairs, column }, group) };
}

function textOf(
  { texts, pairs, column }: { texts: readonly TextIds[]; pairs: readonly PairTable[]; column: number },
  group: number,
): string | null {
  let id = group;
  for (let at = pairs.length - 1; at > column; at--) id = pairs[at]!.first(id);
  return texts[column]!.text(pairs[column]!.second(id));
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
