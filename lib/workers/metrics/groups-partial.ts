import type { MetricPartial, PackedTexts } from './metric-partial.ts';

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
  readonly texts: PackedTexts | null;
  /** If all texts are of one dictionary: its key, and the code of each text. */
  readonly dictionary?: { readonly key: string; readonly codes: Uint32Array };
}

/** A text that is made and then joined with the others: two bytes a character each time, and the string itself. */
export const bytesOfText = (text: string): number => 4 * text.length + 40;
