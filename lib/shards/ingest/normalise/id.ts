/** User, device, session and insert ids. */
import { MAX_ID } from './limits.ts';
import { isBlank, isLonger } from './text.ts';
import { type Trimmed, wholeText } from './value.ts';

/** Texts that senders' code produces for a missing id; used as an id, they would join all their senders into one person. */
const NOTHING: ReadonlySet<string> = new Set(['', 'null', 'undefined', 'NaN', 'none', '[object Object]']);

/** An id; null if none was given; or why the event is invalid. */
export type Id =
  { readonly id: string | null; /** Given, but means no id. */ readonly ignored: boolean } | { readonly error: string };

/** `trimmed` counts trimmed values; `blankIsText` says whether white space is an id (`EventContext`). */
interface Reading {
  readonly trimmed: Trimmed;
  readonly blankIsText: boolean;
}

/** The id that `value` means. Numbers become their shortest decimal text; null, blanks and words for nothing count as missing. */
export function parseId(name: string, value: unknown, { trimmed, blankIsText }: Reading): Id {
  if (value === undefined) return { id: null, ignored: false };
  if (value === null) return { id: null, ignored: true };
  if (typeof value === 'number') {
    return Number.isFinite(value) ? { id: String(value), ignored: false } : { id: null, ignored: true };
  }
  if (typeof value !== 'string') return { error: `${name} must be a string or a number` };
  if (NOTHING.has(value) || (isBlank(value) && !blankIsText)) return { id: null, ignored: true };
  if (isLonger(value, MAX_ID)) return { error: `${name} is longer than ${MAX_ID} characters` };
  return { id: wholeText(value, trimmed), ignored: false };
}
