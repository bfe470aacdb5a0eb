/** Splits chunks of bytes into lines, in the memory of one line. */

/** A non-blank line, counted from 1; `problem` if its text is unusable. */
export type Line =
  { readonly number: number; readonly text: string } | { readonly number: number; readonly problem: string };

/** Of a longer line only the number is kept. The server has the same limit. */
export const MAX_LINE = 1_048_576; // bytes

const LINE_FEED = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export class LineSplitter {
  #parts: Buffer[] = [];
  #size = 0;
  #number = 1;

  /** The lines that end in this chunk. */
  *push(piece: Buffer): Generator<Line> {
    let from = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, from)) {
      this.#add(piece.subarray(from, end));
      yield* this.#finish();
      from = end + 1;
    }
    // A copy, since the reader may reuse the chunk.
    this.#add(Buffer.from(piece.subarray(from)));
  }

  /** The last line, if no line feed ends it. */
  *end(): Generator<Line> {
    if (this.#size > 0) yield* this.#finish();
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= MAX_LINE) this.#parts.push(part);
    else this.#parts = [];
  }

  *#finish(): Generator<Line> {
    const number = this.#number;
    const isTooLong = this.#size > MAX_LINE;
    const bytes = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#number += 1;
    if (isTooLong) {
      yield { number, problem: `it is longer than ${MAX_LINE.toLocaleString('en')} bytes` };
      return;
    }
    const text = decode(bytes);
    if (text === null) yield { number, problem: 'it is not UTF-8' };
    else if (text.trim() !== '') yield { number, text: text.trim() };
  }
}

function decode(bytes: Buffer | undefined): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
