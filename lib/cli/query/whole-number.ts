import { UsageError } from '../command.ts';

/** The value of a numeric option. Throws UsageError unless it is a whole number in the range. */
export function wholeNumberOption(option: string, value: number, from: number, to: number): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to.toLocaleString('en')}`;
  throw new UsageError(`--${option} must be a whole number ${range}`);
}
