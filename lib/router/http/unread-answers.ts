/**
 * Answers to queries and of the management APIs, and dashboards, that clients have not read yet: each stays in memory until then, and a client
 * that never reads could fill it. Organizations and projects have shares of a limit; a client that reads nothing for a while is cut off.
 */
import type { ServerResponse } from 'node:http';
import { Ledger } from '../../base/ledger.ts';
import { AppError } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';

export class UnreadAnswers {
  readonly #shares: Ledger;
  readonly #most: number;

  /** @param bytes Of all answers together. */
  constructor(bytes: number) {
    this.#shares = new Ledger(bytes);
    // One answer counts as at most this fraction of the limit, so that a large one leaves room for others.
    this.#most = bytes / 4;
  }

  get bytes(): number {
    return this.#shares.total;
  }

  heldBy(projectId: string): number {
    return this.#shares.heldBy(projectId);
  }

  /** Counts an answer until the client has it or is gone. Throws AppError('overloaded') if its project holds too much already. */
  hold(response: ServerResponse, tenant: Tenant, bytes: number): void {
    // The system buffers this much per socket: smaller answers do not count and always find room. Bytes.
    if (bytes <= 64 << 10) return;
    const counted = Math.min(bytes, this.#most);
    if (!this.#shares.take(tenant, counted)) {
      throw new AppError('overloaded', 'unread answers use all the memory reserved for them', {
        hints: ['Read the answers to earlier requests, or ask for less, then send the request again.'],
      });
    }
    response.setTimeout(60_000, () => response.destroy()); // a client that reads nothing for this long is cut off
    response.once('close', () => this.#shares.give(tenant, counted));
  }
}
