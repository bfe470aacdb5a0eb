/** Numbers and durations in the reader's locale. */
import type { CardOptions, NumberFormat } from '../../lib/dashboards/dashboard.ts';
import type { EnvelopeColumn } from '../../lib/dashboards/data.ts';
import { unreachable } from '../../lib/base/unreachable.ts';

/** What numbers mean, and how they are formatted. */
export interface Format {
  readonly kind: NumberFormat;
  /** ISO 4217 code; for amounts only. */
  readonly currency: string | null;
}

/** How long a number may be: `short` for axes (12.3K), `long` for tooltips and tables (12,345.6). */
type Length = 'short' | 'figure' | 'long';

/** From which size a number is shortened. Numbers side by side are mostly below a million, so they have one rounding. */
const SHORTENED_FROM: Readonly<Record<Length, number>> = { short: 10_000, figure: 1_000_000, long: Infinity };

/** With three decimal places such a number would look like 0. */
export const SMALL_BELOW = 0.001;

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** The card's format, else one by the type of the column. */
export function formatOf(
  { type }: Pick<EnvelopeColumn, 'type'>,
  { format, currency }: Pick<CardOptions, 'format' | 'currency'>,
): Format {
  if (format !== null) return { kind: format, currency };
  return { kind: type === 'ratio' ? 'percent' : type === 'seconds' ? 'duration' : 'number', currency: null };
}

/** `null` is a dash: no value, which is not 0. */
export function numberText(value: number | null, format: Format, length: Length = 'long'): string {
  if (value === null || !Number.isFinite(value)) return '–';
  switch (format.kind) {
    case 'percent':
      return writer({ style: 'percent', maximumFractionDigits: 1 }).format(value);
    case 'duration':
      return durationText(value);
    case 'currency':
      return writer({ ...shortened(value, length), style: 'currency', currency: format.currency ?? 'USD' }).format(
        value,
      );
    case 'integer':
      return writer(
        length === 'short' || Math.abs(value) >= SHORTENED_FROM[length]
          ? shortened(value, length)
          : { maximumFractionDigits: 0 },
      ).format(value);
    case 'compact':
      return writer({ notation: 'compact', maximumFractionDigits: 1 }).format(value);
    case 'number':
      return writer(shortened(value, length)).format(value);
    default:
      return unreachable(format.kind);
  }
}

/** A change as `+12.3%`, with a sign unless it is 0. */
export function changeText(share: number): string {
  return writer({ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' }).format(share);
}

/** A change as it is written, to a tenth of a percent: a smaller one is none, neither better nor worse. */
export function roundedChange(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}

/** The difference of two percentages in percentage points: `+0.1 pp`. */
export function pointsText(difference: number): string {
  return `${writer({ maximumFractionDigits: 1, signDisplay: 'exceptZero' }).format(difference * 100)} pp`;
}

/** Seconds as `45 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function durationText(seconds: number): string {
  const sign = seconds < 0 ? '−' : '';
  const whole = Math.abs(seconds);
  if (whole < 10) return `${sign}${writer({ maximumFractionDigits: 1 }).format(whole)} s`;
  if (whole < MINUTE) return `${sign}${Math.round(whole)} s`;
  if (whole < HOUR) return sign + two(whole, [MINUTE, 'min'], [1, 's']);
  if (whole < DAY) return sign + two(whole, [HOUR, 'h'], [MINUTE, 'min']);
  return sign + two(whole, [DAY, 'd'], [HOUR, 'h']);
}

function two(seconds: number, [large, name]: [number, string], [small, part]: [number, string]): string {
  const all = Math.round(seconds / small) * small;
  const rest = Math.round((all % large) / small);
  return `${Math.floor(all / large)} ${name}${rest > 0 ? ` ${rest} ${part}` : ''}`;
}

function shortened(value: number, length: Length): Intl.NumberFormatOptions {
  if (Math.abs(value) >= SHORTENED_FROM[length]) return { notation: 'compact', maximumFractionDigits: 1 };
  if (Math.abs(value) < SMALL_BELOW) return { maximumSignificantDigits: 3 };
  return { maximumFractionDigits: Math.abs(value) < 1 ? 3 : Math.abs(value) < 1_000 ? 2 : 0, minimumFractionDigits: 0 };
}

const writers = new Map<string, Intl.NumberFormat>();

function writer(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const made = writers.get(key) ?? new Intl.NumberFormat(undefined, options);
  writers.set(key, made);
  return made;
}
