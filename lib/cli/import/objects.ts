/** Splits chunks of bytes into JSON objects that follow each other, over lines, or in one array; in the memory of one object. */
import type { EventLine } from '../track/lines.ts';
import { BYTE } from '../../base/text/byte.ts';

/** What may stand between two of them: blanks, commas, and the brackets of the array. */
const BETWEEN: ReadonlySet<number> = new Set([...Buffer.from(' \t\r,[]')]);

/** As LineSplitter; the number of an object is that of the line on which it begins. */
export class ObjectSplitter {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #size = 0;
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  #line = 1;
  #first = 1;
  /** The line of what is no object, which is told once. */
  #strayLine = 0;

  /** @param longest Bytes of an object; of a longer one only the line is kept. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  *push(piece: Buffer): Generator<EventLine> {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (byte === BYTE.lineFeed) this.#line++;
      if (this.#inText) this.#readText(byte);
      else if (byte === BYTE.openObject) {
        if (this.#depth++ === 0) {
          from = at;
          this.#first = this.#line;
        }
      } else if (this.#depth === 0) {
        const stray = this.#strayAt(byte);
        if (stray !== null) yield stray;
      } else if (byte === BYTE.quote) this.#inText = true;
      else if (byte === BYTE.closeObject && --this.#depth === 0) yield this.#finish(piece, from, at + 1);
    }
    if (this.#depth > 0) this.#keep(piece.subarray(from));
  }

  *end(): Generator<EventLine> {
    if (this.#depth > 0) yield { number: this.#first, problem: 'the file ends in the middle of it: is it complete?' };
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BYTE.backslash) this.#isEscaped = true;
    else if (byte === BYTE.quote) this.#inText = false;
  }

  #strayAt(byte: number): EventLine | null {
    if (byte === BYTE.lineFeed || BETWEEN.has(byte) || this.#strayLine === this.#line) return null;
    this.#strayLine = this.#line;
    return { number: this.#line, problem: 'it is not a JSON object' };
  }

  /** Keeps a copy, since the reader may reuse the chunk. */
  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= this.#longest) this.#parts.push(Buffer.from(part));
    else this.#parts = [];
  }

  #finish(piece: Buffer, from: number, to: number): EventLine {
    const size = this.#size + to - from;
    const parts = this.#parts;
    const number = this.#first;
    this.#parts = [];
    this.#size = 0;
    if (size > this.#longest)
      return { number, problem: `it is longer than ${this.#longest.toLocaleString('en')} bytes` };
    if (parts.length === 0) return { number, bytes: piece, from, to };
    const bytes = Buffer.concat([...parts, piece.subarray(0, to)]);
    return { number, bytes, from: 0, to: bytes.length };
  }
}
