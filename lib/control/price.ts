/** What the service costs. There is no price per seat. */

/** Events stored by an organization in a UTC month that cost nothing. */
export const FREE_EVENTS_PER_MONTH = 10_000_000;

/** Dollars for a million events beyond the free ones. */
export const USD_PER_MILLION_EVENTS = 5;

/** What a month of so many stored events costs, in dollars, not rounded. */
export function amountFor(storedEvents: number): { billableEvents: number; usd: number } {
  const billableEvents = Math.max(0, storedEvents - FREE_EVENTS_PER_MONTH);
  return { billableEvents, usd: (billableEvents * USD_PER_MILLION_EVENTS) / 1_000_000 };
}
