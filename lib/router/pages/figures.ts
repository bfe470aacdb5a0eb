/** Numbers, sizes and times as pages show them. Times are UTC: the server does not know where the reader is. */

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const MONEY = { style: 'currency', trailingZeroDisplay: 'stripIfInteger' } as const;
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const SIZE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** 1234567 → "1,234,567" */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** 1234567 → "1.2M" */
export function brief(value: number): string {
  return COMPACT.format(value);
}

/** 11.725 → "$11.73", "¥12" or "KWD 11.725"; whole units without decimals. */
export function money(value: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { ...MONEY, currency }).format(value);
}

/** Like `money`, with all decimals of the price: 0.0025 → "$0.0025" */
export function unitPrice(value: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { ...MONEY, currency, maximumFractionDigits: 6 }).format(value);
}

/** 5242880 → "5 MiB" */
export function bytes(value: number): string {
  let unit = 0;
  let size = value;
  for (; size >= 1_024 && unit < SIZE_UNITS.length - 1; unit++) size /= 1_024;
  return `${size.toLocaleString('en', { maximumFractionDigits: 1 })} ${SIZE_UNITS[unit]}`;
}

/** Milliseconds → "25 s", "10 min", "900 ms" */
export function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
  return `${(ms / 60_000).toLocaleString('en', { maximumFractionDigits: 1 })} min`;
}

/** A moment as "21 Nov 2026" */
export function day(time: number): string {
  return DAY.format(time);
}

/** A moment as "21 Nov 2026, 22:41" */
export function minute(time: number): string {
  return MINUTE.format(time);
}

/** "2026-11" → "November 2026" */
export function monthName(month: string): string {
  return MONTH.format(Date.parse(`${month}-01`));
}
