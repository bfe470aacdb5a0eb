/** User, device, session and insert ids. */
import { isNobody, looksLikeNobody, NO_ID } from '../../../base/no-id.ts';
import { isBlank, MAX_ID } from './limits.ts';
import { isLonger } from '../../../base/text/longest-name.ts';
import type { Remarks } from './remarks.ts';
import { wholeText } from './value.ts';

/** An id; null if none was given; or why the event is invalid. */
export type Id = { readonly id: string | null } | { readonly error: string };

/** `blankIsText`, `nobodyIsId`: see `EventContext`. */
interface Reading {
  readonly remarks: Remarks;
  readonly blankIsText: boolean;
  readonly nobodyIsId: boolean;
}

/** The id that `value` means. Numbers become their shortest decimal text; null, blanks and words for nothing count as missing. */
export function parseId(name: string, value: unknown, reading: Reading, most = MAX_ID): Id {
  const { remarks, blankIsText, nobodyIsId } = reading;
  if (value === undefined) return { id: null };
  if (typeof value === 'bigint') return parseId(name, String(value), reading, most);
  if (value !== null && typeof value !== 'string' && typeof value !== 'number')
    return { error: `${name} must be a string or a number` };
  const text = value === null || !isSound(value) ? '' : String(value);
  const isNothing = NO_ID.has(text) || (isNobody(name, text) && !nobodyIsId);
  if (isNothing || (isBlank(text) && !blankIsText)) {
    if (value === null) remarks.idsIgnored++;
    else remarks.idIgnored(name, value);
    return { id: null };
  }
  if (isLonger(text, most)) return { error: `${name} is longer than ${most} characters` };
  if (name === 'user_id' && looksLikeNobody(text))
    remarks.warn(name, 'looks like no id, but is stored as one person', value);
  remarks.field = name;
  return { id: wholeText(text, remarks) };
}

/** Not a number that overflowed. */
const isSound = (value: string | number): boolean => typeof value === 'string' || Number.isFinite(value);
