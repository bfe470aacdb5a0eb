/** Ranges of time as values of variables. */

const WORDS =
  /^(?:all|today|yesterday|this (?:week|month|quarter|year)|last [1-9]\d{0,4} ?(?:mo|[mhdwqy]|(?:minute|hour|day|week|month|quarter|year)s?))$/;
const SPAN = /^(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?)\.\.(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?)$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** The stage that a value stands for, or null when it is no range: `last 30d`, `2026-01-01..2026-01-31` with both days. */
export function rangeStage(value: string): string | null {
  if (WORDS.test(value)) return value;
  const [, from, to] = SPAN.exec(value) ?? [];
  if (from === undefined || to === undefined || !isReal(from) || !isReal(to)) return null;
  const end = DAY.test(to) ? dayAfter(to) : to;
  return momentOf(from) < momentOf(end) ? `from "${from}" to "${end}"` : null;
}

/** Whether a text is a day that exists. */
export function isDay(text: string): boolean {
  return DAY.test(text) && isReal(text);
}

/** The calendar only: which moment it is, the zone of the query decides. */
function momentOf(text: string): number {
  return Date.parse(text.length === 10 ? `${text}T00:00Z` : `${text}Z`);
}

/** Date.parse takes 31 February for a day in March. */
function isReal(text: string): boolean {
  const moment = momentOf(text);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text);
}

function dayAfter(day: string): string {
  return new Date(momentOf(day) + DAY_MS).toISOString().slice(0, 10);
}
