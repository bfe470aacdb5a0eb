/** Times of a clock on a wall somewhere → times in UTC. */
import { DAY_MS, HOUR_MS, isoTime } from '../../base/day.ts';
import { readTime } from '../../base/read-time.ts';

const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?$/;
/** Hours whose offsets are remembered: eleven years. */
const MOST_HOURS = 100_000;

/** A zone by its IANA name. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;
  /** Milliseconds ahead of UTC, by hours since the epoch. */
  readonly #offsets = new Map<number, number>();

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** The time that a value means here, if it says no offset; else the value. Of an hour that comes twice it is the first. */
  timeOf(value: unknown): unknown {
    if (typeof value !== 'string' || !WITHOUT_OFFSET.test(value)) return value;
    const wall = readTime(value);
    if (wall === null) return value;
    const before = wall - this.#offset(wall - DAY_MS);
    return isoTime(this.#offset(before) === this.#offset(wall - DAY_MS) ? before : wall - this.#offset(before));
  }

  #offset(time: number): number {
    const hour = Math.floor(time / HOUR_MS);
    let offset = this.#offsets.get(hour);
    if (offset === undefined) {
      if (this.#offsets.size === MOST_HOURS) this.#offsets.clear();
      offset = this.#ask(hour * HOUR_MS);
      this.#offsets.set(hour, offset);
    }
    return offset;
  }

  #ask(time: number): number {
    const named = this.#format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d\d):(\d\d))?/.exec(named) ?? [];
    const size = Number(hours) * HOUR_MS + Number(minutes) * 60_000;
    return sign === '-' ? -size : size;
  }
}
