/** Finds a character of a text in its YAML source, with indentation, folds and escapes. */

/**
 * The offset in `source`, the YAML source of a text, of the character at `at` in the text. Walks both together; where they
 * differ, YAML adds or drops white space, or there is an escape.
 */
export function sourceOffset(source: string, { type, value, at }: { type: string; value: string; at: number }): number {
  const isBlock = type.startsWith('BLOCK');
  const isQuoted = type.startsWith('QUOTE');
  let place = isBlock ? source.indexOf('\n') + 1 : isQuoted ? 1 : 0;
  for (let i = 0; i < at; i += 1) {
    place = skipAdded(source, place, value[i] ?? '');
    place +=
      type === 'QUOTE_DOUBLE' && source[place] === '\\' ? escapeLength(source, place) : lengthAt(source, place, type);
  }
  return Math.min(skipAdded(source, place, value[at] ?? ''), source.length);
}

/** An escaped line break, and white space: indentation, and the line breaks of folds. */
const ADDED = /(?:\\\r?\n)?\s*/y;

/** Skips what only the source has before the next character of the text. */
function skipAdded(source: string, place: number, wanted: string): number {
  if (source[place] === wanted) return place;
  ADDED.lastIndex = place;
  const added = ADDED.exec(source)?.[0] ?? '';
  if (wanted === ' ') return place + Math.max(0, added.length - 1); // a fold: one of them is the space
  const found = wanted === '' ? -1 : added.indexOf(wanted);
  return place + (found === -1 ? added.length : found);
}

function lengthAt(source: string, place: number, type: string): number {
  return type === 'QUOTE_SINGLE' && source.startsWith("''", place) ? 2 : 1;
}

function escapeLength(source: string, place: number): number {
  const lengths: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };
  return lengths[source[place + 1] ?? ''] ?? 2;
}
