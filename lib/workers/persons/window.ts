/** The time after an event in which others still belong to it, both ends included. */
import { DAY_MS } from '../../base/day.ts';
import type { Duration } from '../../dsl/time/units.ts';
import { addDuration, fixedLength, MONTHS } from '../../dsl/time/duration.ts';
import type { Zone } from '../../dsl/time/zone.ts';

export class Window {
  readonly #duration: Duration;
  readonly #zone: Zone;
  /** Lengths up to `within` are inside, those above `beyond` outside; only in between is the calendar consulted. */
  readonly within: number;
  readonly beyond: number;

  constructor(duration: Duration, zone: Zone) {
    this.#duration = duration;
    this.#zone = zone;
    const { count, unit } = duration;
    if (unit === 'mo' || unit === 'q' || unit === 'y') {
      // Two days for what a zone may add or skip.
      this.within = (28 * count * MONTHS[unit] - 2) * DAY_MS;
      this.beyond = (31 * count * MONTHS[unit] + 2) * DAY_MS;
    } else {
      this.within = this.beyond = fixedLength(duration) ?? 0;
    }
  }

  /** Whether `time` is in the window after `start`. Milliseconds since the epoch. */
  holds(start: number, time: number): boolean {
    const length = time - start;
    if (length <= this.within) return true;
    return length <= this.beyond && time <= addDuration(start, this.#duration, this.#zone, 1);
  }
}
