/** The price of the service, as its host sets it. There is no price per seat. */
import type { Config } from '../../base/config/config.ts';
import type { UsageMonth } from '../types.ts';

/** WINDLASS_PRICE, WINDLASS_CURRENCY and WINDLASS_FREE_EVENTS. */
export interface Price {
  /** Units of the currency per million events beyond the free ones, with at most six decimals. */
  readonly perMillion: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Events that an organization stores in a UTC month for free. */
  readonly freeEvents: number;
}

export const DEFAULT_PRICE: Price = { perMillion: 5, currency: 'USD', freeEvents: 10_000_000 };

/** The configured price; null: the host bills nothing itself. */
export function priceOf({
  price,
  currency,
  freeEvents,
}: Pick<Config, 'price' | 'currency' | 'freeEvents'>): Price | null {
  return price === null ? null : { perMillion: price, currency, freeEvents };
}

/** The cost of a month with this many stored events, not rounded to payable units. */
export function billOf(storedEvents: number, price: Price): { billableEvents: number; amount: number } {
  const billableEvents = Math.max(0, storedEvents - price.freeEvents);
  const millionths = BigInt(Math.round(price.perMillion * 1e6)); // exact, unlike 0.29 as a double
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
