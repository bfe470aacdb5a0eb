/** What each id may draw from at once, and what fills up again slowly: for large amounts of what is kept for ever. */
import { monotonic } from '../../base/monotonic.ts';

const MINUTE_MS = 60_000;

interface Drawn {
  readonly amount: number;
  readonly at: number;
}

export class Stock {
  readonly #most: number;
  readonly #perMs: number;
  readonly #now: () => number;
  /** None: it is full. At most one for each organization, of which a host bounds the number. */
  readonly #drawn = new Map<string, Drawn>();

  /** `most`: what a full one has; 0: no limit. `minutes`: until an empty one is full. @param now A clock, for tests. */
  constructor(most: number, minutes: number, now = monotonic) {
    this.#most = most;
    this.#perMs = most / (minutes * MINUTE_MS);
    this.#now = now;
  }

  /** Whether anything is left. */
  has(id: string): boolean {
    return this.#most === 0 || this.#drawnOf(id) < this.#most;
  }

  /** Draws more than there is, too: what is done is done, and takes longer to come back. */
  draw(id: string, amount: number): void {
    if (this.#most === 0 || amount === 0) return;
    this.#drawn.set(id, { amount: this.#drawnOf(id) + amount, at: this.#now() });
  }

  #drawnOf(id: string): number {
    const known = this.#drawn.get(id);
    if (known === undefined) return 0;
    const left = known.amount - (this.#now() - known.at) * this.#perMs;
    if (left <= 0) this.#drawn.delete(id);
    return Math.max(0, left);
  }
}
