/** Time ranges as values of variables. */
import { DAY_MS, utcDay } from '../base/day.ts';

const WORDS =
  /^(?:all|today|yesterday|this (?:week|month|quarter|year)|last [1-9]\d{0,4} ?(?:mo|[mhdwqy]|(?:minute|hour|day|week|month|quarter|year)s?))$/;
const SPAN = /^(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?)\.\.(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?)$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The stage for a value, or null if it is not a range: `last 30d`, `2026-01-01..2026-01-31` including both days. */
export function rangeStage(value: string): string | null {
  if (WORDS.test(value)) return value;
  const [, from, to] = SPAN.exec(value) ?? [];
  if (from === undefined || to === undefined || !isReal(from) || !isReal(to)) return null;
  const end = DAY.test(to) ? utcDay(momentOf(to) + DAY_MS) : to;
  return momentOf(from) < momentOf(end) ? `from "${from}" to "${end}"` : null;
}

/** Checks only the calendar; which moment it is depends on the query's zone. */
function momentOf(text: string): number {
  return Date.parse(text.length === 10 ? `${text}T00:00Z` : `${text}Z`);
}

/** Date.parse reads 31 February as a day in March. */
function isReal(text: string): boolean {
  const moment = momentOf(text);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text);
}
