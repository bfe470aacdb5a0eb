/** Paths without the ids in them, so that pages of one kind count as one. */

const DIGITS = /^\d+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^[0-9a-f]{16,}$/i;
/** 128 bits in Crockford's base 32: 26 characters, of which the first has 3 bits. */
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;
/** At least 8 letters and digits and nothing else, with at least 3 digits among them. */
const TOKEN = /^(?=(?:[a-z]*\d){3})[a-z\d]{8,}$/i;

/**
 * The path with each segment that is an id replaced by `{id}`: all digits, a UUID, 16 or more hex digits, a ULID, an e-mail
 * address, or at least 8 letters and digits with 3 digits among them.
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

/** One @ with something before it, and after it a dot that neither begins nor ends. By hand: a pattern of it can be made to take long. */
function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  const dot = text.indexOf('.', at + 2);
  return at > 0 && at === text.lastIndexOf('@') && dot > 0 && dot < text.length - 1 && !/\s/.test(text);
}

/** The segment with %40 for @ and the like decoded, as it is when it is no percent-encoding. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a bare % or bytes that are no UTF-8: then it is no address either
  }
}
