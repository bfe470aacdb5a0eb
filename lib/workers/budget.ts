/** Memory of one part of a query: what its kernels hold in typed arrays and maps, estimated in bytes. */
import { AppError } from '../base/errors.ts';
import type { Room } from './room.ts';

/** About what an object takes with its entry in a map or a list: a row, a text without its characters. Counted before it is made. */
export const ENTRY_BYTES = 128;
/** About what a cell of a row takes: its place, and the number there. A row takes as much as two cells besides them. */
export const CELL_BYTES = 24;

export class Budget {
  readonly #share: number;
  readonly #limit: number;
  readonly #room: Room | null;
  #held = 0;

  /**
   * @param share Bytes that this part may hold.
   * @param limit Bytes of the whole query, named in the error.
   * @param room Memory shared by all queries.
   */
  constructor(share: number, limit: number = share, room: Room | null = null) {
    this.#share = share;
    this.#limit = limit;
    this.#room = room;
  }

  get held(): number {
    return this.#held;
  }

  /** Bytes that can still be taken. */
  get left(): number {
    return this.#share - this.#held;
  }

  /** Throws AppError `bad_query` if the query exceeds its share, NoRoom if others leave too little. Call before allocating. */
  take(bytes: number): void {
    this.#held += bytes;
    if (this.#held > this.#share) throw tooLarge(this.#limit);
    this.#room?.cover(this.#held);
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/** Other queries held the memory and did not release it. */
export function noRoom(): AppError {
  return new AppError('overloaded', 'other queries use the memory that this one needs', {
    hints: ['try again in a moment', 'narrow the range', 'group by fewer values'],
  });
}

/** @param limit Groups that a query may hold. */
export function tooManyGroups(limit: number): AppError {
  return new AppError(
    'bad_query',
    `this query has more than ${limit} groups; group by fewer or coarser fields, or narrow the range or the where`,
  );
}

/** The query needs memory that its thread, or the machine, does not have. */
export function outOfMemory(): AppError {
  return new AppError(
    'bad_query',
    'this query needs more memory than is available; narrow the range or the where, or group by fewer values',
  );
}

/** @param limit Bytes. */
export function tooLarge(limit: number): AppError {
  return new AppError(
    'bad_query',
    `this query needs more than ${Math.round(limit / 2 ** 20)} MiB of memory; narrow the range or the where, or group by fewer values`,
  );
}
