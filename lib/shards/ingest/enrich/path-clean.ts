/** Replaces ids in paths, so that pages of one kind count as one. */

const DIGITS = /^\d+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^[0-9a-f]{16,}$/i;
/** 128 bits in Crockford's base 32: 26 characters, of which the first has 3 bits. */
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;
/** Only letters and digits, at least 8 of them, at least 3 of these digits. */
const TOKEN = /^(?=(?:[a-z]*\d){3})[a-z\d]{8,}$/i;

/**
 * The path with each segment that is an id replaced by `{id}`: all digits, a UUID, 16 or more hex digits, a ULID, an e-mail
 * address, or at least 8 letters and digits, 3 of them digits.
 */
export function cleanPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (isId(segment) ? '{id}' : segment))
    .join('/');
}

function isId(segment: string): boolean {
  if (DIGITS.test(segment) || TOKEN.test(segment) || HEX.test(segment)) return true;
  return UUID.test(segment) || ULID.test(segment) || isEmail(decoded(segment));
}

/** One @ after some text, then a dot that is neither first nor last. Not a regular expression, which hostile text could slow. */
function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  const dot = text.indexOf('.', at + 2);
  return at > 0 && at === text.lastIndexOf('@') && dot > 0 && dot < text.length - 1 && !/\s/.test(text);
}

/** The segment with its percent-encoding decoded (%40 is @); unchanged if that is not possible. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a bare % or invalid UTF-8: not an address either
  }
}
