/** One array for a field of all sessions, and where in it the session of each event is. */
import type { EventRows } from '../rows/event-rows.ts';
import type { SessionSet } from './session-set.ts';

/** Place 0, and others that no session has, are of no session. */
export interface Places {
  readonly set: SessionSet;
  /** The values of a column, by part of the set, laid out by place: 0 where there is no session. */
  codes(column: readonly ArrayLike<number>[]): Uint32Array;
  /** As `codes`: NaN where there is no session. */
  numbers(column: readonly ArrayLike<number>[]): Float64Array;
  /** The place of each row's session. */
  of(rows: EventRows): Uint32Array;
  /** The value at the place of each row's session. */
  gather(values: Uint32Array, rows: EventRows): Uint32Array;
}
