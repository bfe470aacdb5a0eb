import { UsageError } from '../command.ts';

/** `none` → null, digits → a number. Throws UsageError. */
export function numberOrNone(option: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a whole number or "none", not "${text}"`);
}
