/** The largest share that one id had of something, in the last whole minute. */
import { monotonic } from '../../base/monotonic.ts';

const MINUTE = 60_000;

export class MinuteShare {
  readonly #now: () => number;
  #began: number;
  #amounts = new Map<string, number>();
  #last = 0;

  /** @param now Milliseconds on a monotonic clock. */
  constructor(now: () => number = monotonic) {
    this.#now = now;
    this.#began = now();
  }

  add(id: string, amount: number): void {
    this.#turn();
    this.#amounts.set(id, (this.#amounts.get(id) ?? 0) + amount);
  }

  /** From 0 to 1; 0: nothing was counted. */
  get largest(): number {
    this.#turn();
    return this.#last;
  }

  #turn(): void {
    const passed = this.#now() - this.#began;
    if (passed < MINUTE) return;
    this.#last = passed < 2 * MINUTE ? largestOf(this.#amounts.values()) : 0;
    this.#amounts = new Map();
    this.#began += passed - (passed % MINUTE);
  }
}

function largestOf(amounts: Iterable<number>): number {
  let [most, sum] = [0, 0];
  for (const amount of amounts) {
    most = Math.max(most, amount);
    sum += amount;
  }
  return sum === 0 ? 0 : most / sum;
}
