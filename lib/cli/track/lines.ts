/** Splits chunks of bytes into lines, in the memory of one line. */
import { BYTE } from '../../base/text/byte.ts';

/** A line, counted from 1: bytes of a chunk that stay until the next line is read. `problem` if it is unusable. */
export type EventLine = LineBytes | { readonly number: number; readonly problem: string };

export interface LineBytes {
  readonly number: number;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Of a longer line only the number is kept. The server has the same limit. */
export const MAX_LINE = 1_048_576; // bytes

const NO_BYTES = Buffer.alloc(0);

export class LineSplitter {
  #parts: Buffer[] = [];
  #size = 0;
  #number = 1;
  readonly #longest: number;

  /** @param longest Bytes of a line. */
  constructor(longest: number = MAX_LINE) {
    this.#longest = longest;
  }

  /** The lines that end in this chunk. */
  *push(piece: Buffer): Generator<EventLine> {
    let from = 0;
    for (let end = piece.indexOf(BYTE.lineFeed); end !== -1; end = piece.indexOf(BYTE.lineFeed, from)) {
      yield this.#finish(piece, from, end);
      from = end + 1;
    }
    this.#add(piece.subarray(from));
  }

  /** The last line, if no line feed ends it. */
  *end(): Generator<EventLine> {
    if (this.#size > 0) yield this.#finish(NO_BYTES, 0, 0);
  }

  /** Keeps a copy of a line's beginning, since the reader may reuse the chunk. */
  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#size <= this.#longest) this.#parts.push(Buffer.from(part));
    else this.#parts = [];
  }

  #finish(piece: Buffer, from: number, to: number): EventLine {
    const number = this.#number++;
    if (this.#size + to - from > this.#longest) {
      this.#reset();
      return { number, problem: `it is longer than ${this.#longest.toLocaleString('en')} bytes` };
    }
    if (this.#size === 0) return { number, bytes: piece, from, to };
    const bytes = Buffer.concat([...this.#parts, piece.subarray(from, to)]);
    this.#reset();
    return { number, bytes, from: 0, to: bytes.length };
  }

  #reset(): void {
    this.#parts = [];
    this.#size = 0;
  }
}
