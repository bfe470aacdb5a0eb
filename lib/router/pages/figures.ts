/** Numbers, sizes and times as pages show them, in the reader's own way. Times are UTC: the server does not know where the reader is. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Lru } from '../../base/lru.ts';

const COMPACT = { notation: 'compact', maximumFractionDigits: 1 } as const;
const TENTHS = { maximumFractionDigits: 1 } as const;
const PERCENT = { style: 'percent', maximumFractionDigits: 1 } as const;
const MONEY = { style: 'currency', trailingZeroDisplay: 'stripIfInteger' } as const;
const DAY = { dateStyle: 'medium', timeZone: 'UTC' } as const;
const MINUTE = { ...DAY, timeStyle: 'short' } as const;
const MONTH = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;

const SIZE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** The locale of whoever reads the page that is being made: every figure in it is for the same reader. */
const reader = new AsyncLocalStorage<string>();

/** What pages for everybody use. */
const USUAL = 'en-US';

/** Makes a page whose figures are those of the languages that a browser asks for, as its own scripts write them. */
export function forReader<T>(acceptLanguage: string | undefined, make: () => T): T {
  return reader.run(localeOf(acceptLanguage ?? ''), make);
}

/** The first language of a header that has figures; most wanted first, as browsers send them. */
function localeOf(header: string): string {
  const tags = header.slice(0, 200).split(',').map((part) => (part.split(';')[0] ?? '').trim());
  return tags.find(isKnown) ?? USUAL;
} // prettier-ignore

function isKnown(tag: string): boolean {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2}$/i.test(tag) && Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
}

/** 1234567 → "1,234,567" */
export function grouped(value: number): string {
  return numberText(Math.round(value));
}

/** 1234567 → "1.2M" */
export function brief(value: number): string {
  return numberText(value, COMPACT);
}

/** 0.123 → "12.3%" */
export function percent(share: number): string {
  return numberText(share, PERCENT);
}

/** 11.725 → "$11.73", "¥12" or "KWD 11.725"; whole units without decimals. */
export function money(value: number, currency: string): string {
  return numberText(value, { ...MONEY, currency });
}

/** Like `money`, with all decimals of the price: 0.0025 → "$0.0025" */
export function unitPrice(value: number, currency: string): string {
  return numberText(value, { ...MONEY, currency, maximumFractionDigits: 6 });
}

/** 5242880 → "5 MiB" */
export function bytes(value: number): string {
  let unit = 0;
  let size = value;
  for (; size >= 1_024 && unit < SIZE_UNITS.length - 1; unit++) size /= 1_024;
  return `${numberText(size, TENTHS)} ${SIZE_UNITS[unit]}`;
}

/** Milliseconds → "25 s", "10 min", "900 ms" */
export function spelledDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${numberText(ms / 1_000, TENTHS)} s`;
  return `${numberText(ms / 60_000, TENTHS)} min`;
}

/** A moment as "Nov 21, 2026" */
export function day(time: number): string {
  return timeText(DAY, time);
}

/** A moment as "Nov 21, 2026, 10:41 PM" */
export function minute(time: number): string {
  return timeText(MINUTE, time);
}

/** "2026-11" → "November 2026" */
export function monthName(month: string): string {
  return timeText(MONTH, Date.parse(`${month}-01`));
}

/** Formats that are kept: those of a few locales. They are made when first needed: the first takes ten milliseconds and some megabytes. */
const numbers = new Lru<string, Intl.NumberFormat>(64);
const times = new Lru<string, Intl.DateTimeFormat>(64);

function numberText(value: number, options: Intl.NumberFormatOptions = {}): string {
  return kept(numbers, options, (locale) => new Intl.NumberFormat(locale, options)).format(value);
}

function timeText(options: Intl.DateTimeFormatOptions, time: number): string {
  return kept(times, options, (locale) => new Intl.DateTimeFormat(locale, options)).format(time);
}

function kept<Format>(formats: Lru<string, Format>, options: object, make: (locale: string) => Format): Format {
  const locale = reader.getStore() ?? USUAL;
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = make(locale);
  formats.set(key, made, 1);
  return made;
}
