/** Counting by the minute. A minute starts with the first thing counted in it. */

export const WINDOW_MS = 60_000;

/** What was used in the current minute. What exceeds the limit is taken from the next minute, if that follows at once. */
export class MinuteWindow {
  #start = -Infinity;
  #used = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Counts `amount` at `now` (milliseconds). */
  add(amount: number, now: number): void {
    this.#roll(now);
    this.#used += amount;
  }

  /** How much is left at `now`; 0 or less: nothing. */
  left(now: number): number {
    this.#roll(now);
    return this.limit - this.#used;
  }

  /** Milliseconds until the current minute ends. */
  rest(now: number): number {
    return Math.max(0, this.#start + WINDOW_MS - now);
  }

  /** True when dropping the window changes nothing. */
  idle(now: number): boolean {
    return now - this.#start >= 2 * WINDOW_MS;
  }

  #roll(now: number): void {
    const passed = now - this.#start;
    if (passed < WINDOW_MS) return;
    this.#used = passed < 2 * WINDOW_MS ? Math.max(0, this.#used - this.limit) : 0;
    this.#start = now;
  }
}
