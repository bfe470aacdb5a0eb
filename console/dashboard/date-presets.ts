/** Ranges that every variable for dates offers beside those of its file. */
import type { Variable } from '../../lib/dashboards/dashboard.ts';

interface Preset {
  readonly value: string;
  readonly label: string;
}

/** A letter for each, as the field's favorites have them. */
const KEYS: Readonly<Record<string, string>> = {
  today: 'd',
  yesterday: 'e',
  'last 7d': 'w',
  'last 30d': 'f',
  'last 90d': 'n',
  'this month': 'm',
  'this year': 'y',
};
const LAST_MONTH = { label: 'Last month', key: 'p' };

const PRESETS: readonly Preset[] = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: 'last 7d', label: 'Last 7 days' },
  { value: 'last 30d', label: 'Last 30 days' },
  { value: 'last 90d', label: 'Last 90 days' },
  { value: 'this month', label: 'This month' },
  { value: 'this year', label: 'This year' },
];

/**
 * Those that the file does not have. The language has no word for the month before this one, so that is its dates at `now`.
 *
 * @param timeZone Whose month it is; null: that of this browser.
 */
export function morePresets({ presets }: Extract<Variable, { kind: 'range' }>, timeZone: string | null, now: Date): readonly Preset[] {
  return [...PRESETS, { value: lastMonth(timeZone, now), label: LAST_MONTH.label }].filter(
    ({ value }) => !presets.some((preset) => preset.value === value),
  );
} // prettier-ignore

/** As people call it; null: it is none of these. */
export function presetLabel(value: string): string | null {
  return PRESETS.find((preset) => preset.value === value)?.label ?? null;
}

/** The letter that chooses it; null: there is none. */
export function presetKey({ value, label }: Preset): string | null {
  return KEYS[value] ?? (label === LAST_MONTH.label ? LAST_MONTH.key : null);
}

/** `2026-10-01..2026-10-31` */
function lastMonth(timeZone: string | null, now: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'numeric', ...(timeZone === null ? {} : { timeZone }) }).formatToParts(now); // prettier-ignore
  const [year, month] = ['year', 'month'].map((type) => Number(parts.find((part) => part.type === type)?.value));
  const dayOf = (monthIndex: number, day: number): string => new Date(Date.UTC(year ?? 0, monthIndex, day)).toISOString().slice(0, 10); // prettier-ignore
  return `${dayOf((month ?? 1) - 2, 1)}..${dayOf((month ?? 1) - 1, 0)}`;
}
