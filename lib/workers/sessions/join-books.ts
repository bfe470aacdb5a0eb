/** Codes of several books as codes of one: dictionaries with many values are a segment's own. */
import type { RowContext } from '../query-context.ts';
import { ValueBook, type Codebook } from '../rows/field-column.ts';
import type { FormedValues } from './segment-sessions.ts';

export interface JoinedCodes {
  /** In the order of the pieces, each as long as the piece's own. */
  readonly codes: readonly Uint32Array[];
  /** null: there is no value. */
  readonly book: Codebook | null;
}

const CHECK_EVERY = 16_384;
const BYTES_PER_VALUE = 150; // a text, its entry in the map and its place

/** Where all are of one book its codes stay as they are; else the values in use get codes of a new one. */
export function joinBooks(pieces: readonly FormedValues[], context: RowContext): JoinedCodes {
  const books = pieces.flatMap(({ book }) => book ?? []);
  const codes = pieces.map((piece) => piece.codes);
  if (new Set(books.map(({ key }) => key)).size <= 1) return { codes, book: largest(books) };
  const made = new ValueBook();
  return { codes: pieces.map((piece) => translated(piece, made, context)), book: made };
}

/** Of one key: the same values under the same codes, some may have been read earlier than others. */
function largest(books: readonly Codebook[]): Codebook | null {
  return books.reduce<Codebook | null>((most, book) => (most === null || book.size > most.size ? book : most), null);
}

function translated({ codes, book }: FormedValues, made: ValueBook, context: RowContext): Uint32Array {
  if (book === null) return codes;
  const known = new Map<number, number>([[0, 0]]);
  const result = new Uint32Array(codes.length);
  for (let at = 0; at < codes.length; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const code = codes[at]!;
    let value = known.get(code);
    if (value === undefined) {
      const before = made.size;
      value = made.code(book.type(code), book.text(code));
      if (made.size > before) context.budget.take(BYTES_PER_VALUE + 2 * book.text(code).length);
      known.set(code, value);
    }
    result[at] = value;
  }
  return result;
}
