/** Releases of the demo's product: every other Tuesday, and one that broke something for two days. */
import { DAY } from './calendar.ts';

export interface Release {
  readonly version: string;
  readonly broken: boolean;
}

const FIRST_TUESDAY = Date.UTC(2024, 0, 2);
const CYCLE_DAYS = 14;
const BROKEN_DAYS = 2; // after every third release

/** The release in use at a time (milliseconds since the epoch). */
export function releaseOn(time: number): Release {
  const cycle = Math.floor((time - FIRST_TUESDAY) / (CYCLE_DAYS * DAY));
  const age = (time - FIRST_TUESDAY) / DAY - cycle * CYCLE_DAYS;
  return { version: `4.${cycle}.0`, broken: cycle % 3 === 0 && age < BROKEN_DAYS };
}
