/** Units, lengths and ranges of time. */

export type TimeUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** `from <= time < to`, milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
  /** The range begins where the project's events do, so its first bucket is complete. */
  readonly all?: true;
}

/** A length of time: `m h d w` are fixed (d = 24 h), `mo q y` step in the calendar of the plan's zone. */
export interface Duration {
  readonly count: number;
  readonly unit: 'm' | 'h' | 'd' | 'w' | 'mo' | 'q' | 'y';
}
