/** When a writer's thread does what nobody waits for: takes up projects, and looks for usage that was not reported. */

/**
 * Interval of taking up what only the journal has: while messages come, since each takes some milliseconds of this thread and ten
 * of another, and of the disk; the same when the journal begins to need the room, shorter the more it does; and the least, also
 * once none has come for a while (QUIET). Milliseconds.
 */
const BUSY = 120;
const PRESSED = 40;
const IDLE = 2;
const QUIET = 200;
/** If nothing is left. Milliseconds. */
const NOTHING = 1_000;
/**
 * So long after a start nothing of it is done while messages come. Everything runs for the first time then, which takes several
 * times as long, and the thread that seals what was taken up would start beside it. Milliseconds.
 */
const FIRST = 2_000;

export class IdleRhythm {
  readonly #begun: number;
  #lastMessage: number;

  /** @param now All times are of one clock, in milliseconds. */
  constructor(now: number) {
    this.#begun = now;
    this.#lastMessage = now;
  }

  /** Notes that a message has come. */
  message(now: number): void {
    this.#lastMessage = now;
  }

  /** Whether such work may be done now. */
  allows(now: number): boolean {
    return now >= this.#begun + FIRST || this.isQuiet(now);
  }

  /** Time until the next project is taken up. @param left What `TakingUp.idle` returned; null: it was not allowed. */
  pause(left: number | false | null, now: number): number {
    if (left === false) return NOTHING;
    if (left !== null && this.isQuiet(now)) return IDLE;
    return left === 0 ? BUSY : Math.max(IDLE, PRESSED * (1 - (left ?? 0)));
  }

  /** Whether no message has come for a while. */
  isQuiet(now: number): boolean {
    return now > this.#lastMessage + QUIET;
  }
}
