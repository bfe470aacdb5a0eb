/**
 * The bytes of texts, concatenated in pieces: growing the arena never copies more than one piece, so nobody waits while a large
 * one grows.
 */
import { NO_BYTES } from '../../base/growable.ts';

const PIECE_BITS = 20;
const PIECE = 1 << PIECE_BITS;
const FIRST_PIECE = 128;

export class TextArena {
  readonly #pieces: Uint8Array[] = [NO_BYTES];
  /** Bytes in use in the last piece. */
  #used = 0;
  #memory = 0;

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#memory;
  }

  /** Makes room for a text of `length` bytes; returns the place where `put` will store it. */
  room(length: number): number {
    const last = this.#pieces.length - 1;
    if (this.#used > 0 && (this.#used + length > PIECE || this.#used === PIECE)) {
      this.#grow(last + 1, Math.max(PIECE, length));
      this.#used = 0;
    } else if (this.#used + length > this.#pieces[last]!.length) {
      const wanted = Math.max(
        this.#used + length,
        Math.min(Math.max(this.#pieces[last]!.length * 2, FIRST_PIECE), PIECE),
      );
      this.#grow(last, wanted);
    }
    return (this.#pieces.length - 1) * PIECE + this.#used;
  }

  /** Adds a text that `room` was made for. */
  put(bytes: Uint8Array, start: number, end: number): void {
    const piece = this.#pieces[this.#pieces.length - 1]!;
    const length = end - start;
    if (length > LONG) piece.set(bytes.subarray(start, end), this.#used);
    else for (let i = 0; i < length; i++) piece[this.#used + i] = bytes[start + i]!;
    this.#used += length;
  }

  /** The piece of a place, instead of a view: creating views would cost more than comparing most texts. */
  piece(place: number): Uint8Array {
    return this.#pieces[place >>> PIECE_BITS]!;
  }

  /** A view, valid until the next text is added. */
  view(place: number, length: number): Uint8Array {
    const at = place & (PIECE - 1);
    return this.piece(place).subarray(at, at + length);
  }

  #grow(piece: number, length: number): void {
    const old = this.#pieces[piece];
    const larger = new Uint8Array(length);
    if (old) larger.set(old);
    this.#pieces[piece] = larger;
    this.#memory += length - (old?.length ?? 0);
  }
}

/** Offset of a place in its piece. */
export const offsetOf = (place: number): number => place & (PIECE - 1);

/** The first place of the piece after that of a place. */
export const pieceAfter = (place: number): number => ((place >>> PIECE_BITS) + 1) * PIECE;

/** Whether two places are in one piece; within a piece, texts are contiguous. */
export const samePiece = (a: number, b: number): boolean => a >>> PIECE_BITS === b >>> PIECE_BITS;

/** From this many bytes on, the runtime's copy is faster. */
const LONG = 64;
