/** Days in UTC, YYYY-MM-DD, and times. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The day of a time in milliseconds since the epoch. */
export const utcDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** A time in milliseconds since the epoch, as 2026-01-31T12:00:00.000Z. */
export const isoTime = (time: number): string => new Date(time).toISOString();

/** Whether a text is a day of the calendar: some engines read 2024-02-30 as 1 March. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && utcDay(time) === text;
}
