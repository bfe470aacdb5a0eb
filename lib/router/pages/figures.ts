/** Numbers, sizes and times as pages show them. Times are UTC: the server does not know where the reader is. */

const COMPACT = { notation: 'compact', maximumFractionDigits: 1 } as const;
const MONEY = { style: 'currency', trailingZeroDisplay: 'stripIfInteger' } as const;
const DAY = { dateStyle: 'medium', timeZone: 'UTC' } as const;
const MINUTE = { ...DAY, timeStyle: 'short' } as const;
const MONTH = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;

const SIZE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** 1234567 → "1,234,567" */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** 1234567 → "1.2M" */
export function brief(value: number): string {
  return value.toLocaleString('en', COMPACT);
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
export function spelledDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
  return `${(ms / 60_000).toLocaleString('en', { maximumFractionDigits: 1 })} min`;
}

/** A moment as "21 Nov 2026" */
export function day(time: number): string {
  return timeText(DAY, time);
}

/** A moment as "21 Nov 2026, 22:41" */
export function minute(time: number): string {
  return timeText(MINUTE, time);
}

/** "2026-11" → "November 2026" */
export function monthName(month: string): string {
  return timeText(MONTH, Date.parse(`${month}-01`));
}

const formats = new Map<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>();

/** Formats are made when first needed: the first takes ten milliseconds and some megabytes, which a start need not wait for. */
function timeText(options: Intl.DateTimeFormatOptions, time: number): string {
  const known = formats.get(options) ?? new Intl.DateTimeFormat('en-GB', options);
  formats.set(options, known);
  return known.format(time);
}
