/**
 * Answers of queries that their clients have not read: each lies in memory until then, and whoever asks and never reads could
 * fill it. Organizations and projects have shares of a bound; a client that takes nothing for a while is cut off.
 */
import type { ServerResponse } from 'node:http';
import { ByteShares } from '../../base/byte-shares.ts';
import { AppError } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';

/** A client that takes nothing for so long is cut off. Milliseconds. */
const STALLED = 60_000;

/** The system takes so much of a socket at once: smaller answers do not count, and always find room. Bytes. */
const SMALL = 64 << 10;
/** One answer counts as this part of the bound at most, so that a large one leaves something for others. */
const MOST = 4;

export class UnreadAnswers {
  readonly #shares: ByteShares;
  readonly #most: number;
  readonly #stalled: number;

  /** @param bytes Of all answers together. @param stalled Milliseconds, for tests. */
  constructor(bytes: number, stalled = STALLED) {
    this.#shares = new ByteShares(bytes);
    this.#most = bytes / MOST;
    this.#stalled = stalled;
  }

  get bytes(): number {
    return this.#shares.total;
  }

  heldBy(projectId: string): number {
    return this.#shares.heldBy(projectId);
  }

  /** Counts an answer until the client has it or is gone. Throws AppError('overloaded') where its project holds too much already. */
  hold(response: ServerResponse, tenant: Tenant, bytes: number): void {
    if (bytes <= SMALL) return;
    const counted = Math.min(bytes, this.#most);
    if (!this.#shares.take(tenant, counted)) {
      throw new AppError('overloaded', 'unread answers use all the memory reserved for them', {
        hints: ['Read the answers of earlier queries, or use a smaller limit, then send the query again.'],
      });
    }
    response.setTimeout(this.#stalled, () => response.destroy());
    response.once('close', () => this.#shares.give(tenant, counted));
  }
}
