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

/** Between two sweeps for windows to drop, ms: each sweep goes through all. */
const SWEEP_MS = 1_000;

/** A window for each key, about 200 bytes each. */
export class MinuteWindows {
  readonly #many: number;
  readonly #windows = new Map<string, MinuteWindow>();
  #sweptAt = -Infinity;

  /** @param many From so many on, idle ones are dropped before another is added. */
  constructor(many: number) {
    this.#many = many;
  }

  /** A window whose limit has changed starts over. */
  of(key: string, limit: number, now: number): MinuteWindow {
    const known = this.#windows.get(key);
    if (known?.limit === limit) return known;
    this.#sweep(now);
    const made = new MinuteWindow(limit);
    this.#windows.set(key, made);
    return made;
  }

  /** Whether the key has a window, or may have one while there are not too many. */
  hasRoom(key: string, now: number): boolean {
    if (this.#windows.has(key)) return true;
    this.#sweep(now);
    return this.#windows.size < this.#many;
  }

  #sweep(now: number): void {
    if (this.#windows.size < this.#many || now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, window] of this.#windows) if (window.idle(now)) this.#windows.delete(key);
  }
}
