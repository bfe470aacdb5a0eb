/** What the service costs, as its host sets it. There is no price per seat. */
import type { UsageMonth } from '../types.ts';

/** WINDLASS_PRICE, WINDLASS_CURRENCY and WINDLASS_FREE_EVENTS. */
export interface Price {
  /** Units of the currency for a million events beyond the free ones, with at most six decimals. */
  readonly perMillion: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Events stored by an organization in a UTC month that cost nothing. */
  readonly freeEvents: number;
}

export const DEFAULT_PRICE: Price = { perMillion: 5, currency: 'USD', freeEvents: 10_000_000 };

/** The price of the settings; null: the host bills nothing by itself. */
export function priceOf(settings: {
  readonly price: number | null;
  readonly currency: string;
  readonly freeEvents: number;
}): Price | null {
  const { price, currency, freeEvents } = settings;
  return price === null ? null : { perMillion: price, currency, freeEvents };
}

/** What a month of so many stored events costs, not rounded to what can be paid. */
export function billOf(storedEvents: number, price: Price): { billableEvents: number; amount: number } {
  const billableEvents = Math.max(0, storedEvents - price.freeEvents);
  const millionths = BigInt(Math.round(price.perMillion * 1e6)); // exact, where 0.29 as a double is not
  return { billableEvents, amount: Number(`${BigInt(billableEvents) * millionths}e-12`) };
}

/** The fields of a bill, as the API and the command line name them: `amount_usd`, `amount_eur`, … None without a price. */
export function billFields(storedEvents: number, price: Price | null): Omit<UsageMonth, 'month' | 'events_stored'> {
  if (price === null) return {};
  const { billableEvents, amount } = billOf(storedEvents, price);
  return { billable_events: billableEvents, [`amount_${price.currency.toLowerCase()}` as const]: amount };
}

/** The columns that `billFields` fills. */
export function billColumns(price: Price | null): readonly string[] {
  return Object.keys(billFields(0, price));
}
