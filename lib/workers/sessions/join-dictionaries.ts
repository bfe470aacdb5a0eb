/** Translates codes of several dictionaries into codes of one: with many values, each segment has its own dictionary. */
import type { RowContext } from '../query-context.ts';
import { GrowingDictionary, type ValueDictionary } from '../rows/field-column.ts';
import type { FormedValues } from './segment-sessions.ts';

export interface JoinedCodes {
  /** In the order of the pieces, each as long as the piece's own. */
  readonly codes: readonly Uint32Array[];
  /** null: there are no values. */
  readonly dictionary: ValueDictionary | null;
}

const CHECK_EVERY = 16_384;
const BYTES_PER_VALUE = 150; // a text, its map entry and its place

/** If all are of one dictionary, its codes stay as they are; otherwise the values in use get codes of a new one. */
export function joinDictionaries(pieces: readonly FormedValues[], context: RowContext): JoinedCodes {
  const dictionaries = pieces.flatMap(({ dictionary }) => dictionary ?? []);
  const codes = pieces.map((piece) => piece.codes);
  if (new Set(dictionaries.map(({ key }) => key)).size <= 1) return { codes, dictionary: largest(dictionaries) };
  const made = new GrowingDictionary();
  return { codes: pieces.map((piece) => translated(piece, made, context)), dictionary: made };
}

/** With one key: the same values have the same codes, but some dictionaries may have been read earlier. */
function largest(dictionaries: readonly ValueDictionary[]): ValueDictionary | null {
  return dictionaries.reduce<ValueDictionary | null>(
    (most, dictionary) => (most === null || dictionary.size > most.size ? dictionary : most),
    null,
  );
}

function translated({ codes, dictionary }: FormedValues, made: GrowingDictionary, context: RowContext): Uint32Array {
  if (dictionary === null) return codes;
  const known = new Map<number, number>([[0, 0]]);
  const result = new Uint32Array(codes.length);
  for (let at = 0; at < codes.length; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const code = codes[at]!;
    let value = known.get(code);
    if (value === undefined) {
      const before = made.size;
      value = made.code(dictionary.type(code), dictionary.text(code));
      if (made.size > before) context.budget.take(BYTES_PER_VALUE + 2 * dictionary.text(code).length);
      known.set(code, value);
    }
    result[at] = value;
  }
  return result;
}
