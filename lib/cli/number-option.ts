import { UsageError } from './command.ts';

/** Digits → a number. Throws UsageError. */
export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number, not "${text}"`);
}

/** `none` → null, digits → a number. Throws UsageError. */
export function numberOrNone(option: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number or "none", not "${text}"`);
}
