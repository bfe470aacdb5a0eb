/**
 * Keeps the pieces of a stream in order without gaps: a piece may arrive before the one before it is on disk, and none may be
 * stored once one was refused, as the sender continues at the first line that was not stored.
 */
import { AppError } from '../../base/errors.ts';
import type { StreamPiece } from '../writer-messages.ts';

export class StreamOrder {
  /** The next piece of each stream of which some were read, and none refused since. */
  readonly #next = new Map<number, number>();

  /** Throws for a piece after one that was refused, here or on the way. */
  check(piece: StreamPiece | undefined): void {
    if (piece === undefined || piece.nth === (this.#next.get(piece.stream) ?? 0)) return;
    throw new AppError('overloaded', 'an earlier part of the stream was refused');
  }

  /** A piece was read. */
  took(piece: StreamPiece | undefined): void {
    if (piece !== undefined) this.#next.set(piece.stream, piece.nth + 1);
  }

  /** A piece was refused, even after it was read. */
  refused(piece: StreamPiece | undefined): void {
    if (piece !== undefined) this.#next.delete(piece.stream);
  }

  end(stream: number): void {
    this.#next.delete(stream);
  }
}
