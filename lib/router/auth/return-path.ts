/** Where somebody wanted to go before the login: a path of this service, and nothing that leads elsewhere. */

const LONGEST = 512; // characters
const ANY_ORIGIN = 'http://windlass.invalid';

/** Printable ASCII without the backslash, which browsers read as a slash. What else a path may hold stands in it as %XX. */
const PLAIN = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/;

/**
 * `text` when browsers read it as a path on the same origin; otherwise null. Paths of the login itself are none: they would
 * begin the next one.
 */
export function returnPath(text: string | null): string | null {
  if (text === null || text.length > LONGEST || !PLAIN.test(text) || !URL.canParse(text, ANY_ORIGIN)) return null;
  const { origin, pathname } = new URL(text, ANY_ORIGIN);
  if (origin !== ANY_ORIGIN || pathname.startsWith('//') || /^\/(?:auth|login)(?:\/|$)/.test(pathname)) return null;
  return text;
}
