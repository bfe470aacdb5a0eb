import { UsageError } from '../command.ts';

const FACTORS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const MAX_MS = 86_400_000; // a day; timers end at 24 days

/** `<n>ms|s|m|h` in milliseconds, at most a day. Throws UsageError that names the option. */
export function milliseconds(text: string, option: string): number {
  const match = /^(\d{1,8})(ms|s|m|h)$/.exec(text.trim());
  const value = Number(match?.[1]) * (FACTORS.get(match?.[2] ?? '') ?? Number.NaN);
  if (!(value > 0 && value <= MAX_MS))
    throw new UsageError(`${option} must be a time like 30s, 500ms or 5m, at most 24h`);
  return value;
}
