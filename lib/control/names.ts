import { AppError } from '../base/errors.ts';

export const MAX_NAME_LENGTH = 200; // code points

/** Names appear on terminals and in logs: no control characters, halves of pairs, or changes of text direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/** Something visible. */
const VISIBLE = /[^\s\p{Cf}]/u;

/** The name of an organization, project or token, the reason of a suspension or the text of an annotation, trimmed. Throws AppError `bad_request`. */
export function checkName(
  name: string,
  what: 'organization' | 'project' | 'token' | 'operator key' | 'reason' | 'text',
): string {
  const trimmed = name.trim();
  const problem = problemWith(trimmed);
  if (problem === null) return trimmed;
  const isName = what !== 'reason' && what !== 'text';
  throw new AppError('bad_request', `${isName ? `The name of the ${what}` : `The ${what}`} ${problem}.`, {
    field: isName ? 'name' : what,
  });
}

/** Throws AppError `bad_request` unless the limit is a whole number or null. */
export function checkLimit(name: string, limit: number | null): void {
  if (limit === null || (Number.isSafeInteger(limit) && limit >= 0)) return;
  throw new AppError('bad_request', `${name} must be a whole number, or none for no limit`, { field: name });
}

/** @param what `project "prj_…"` and the like. */
export function notFound(what: string, hint: string | null = null): never {
  throw new AppError('not_found', `there is no ${what}`, hint === null ? {} : { hints: [hint] });
}

function problemWith(name: string): string | null {
  if (Array.from(name).length > MAX_NAME_LENGTH) return `has more than ${MAX_NAME_LENGTH} characters`;
  if (name.replaceAll(UNPRINTABLE, '') !== name) return 'contains a control or text-direction character';
  return VISIBLE.test(name) ? null : 'is empty';
}

/** A name from elsewhere, cleaned, with at most `length` characters; null if nothing is left. */
export function plainName(text: string | null, length: number): string | null {
  const characters = Array.from((text ?? '').replaceAll(UNPRINTABLE, ' ').trim());
  const plain = characters.slice(0, length).join('').trim();
  return VISIBLE.test(plain) ? plain : null;
}
