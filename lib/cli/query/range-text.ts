import { UsageError } from '../command.ts';

/** A duration in the language's syntax, `30d`. The server knows the units. Throws UsageError. */
export function rangeText(option: string, text: string): string {
  const range = text.trim();
  if (/^\d+\s*[a-z]+$/i.test(range)) return range;
  throw new UsageError(`--${option} must be a time like 7d, 12h, 4w or 3mo`);
}
