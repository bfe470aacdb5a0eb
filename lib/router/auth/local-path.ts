/** `path` of this service as browsers see it: below the path of its public address, if that has one. */
export function localPath(publicUrl: string, path: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '') + path;
}

const ANY_ORIGIN = 'http://windlass.invalid';

/** Printable ASCII without the backslash, which browsers read as a slash. A path has everything else as %XX. */
const PLAIN = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/;

/**
 * `text` if browsers read it as a path on the same origin; otherwise null. Also null for paths of the login itself: they would
 * start another one.
 */
export function returnPath(text: string | null): string | null {
  if (text === null || text.length > 512 || !PLAIN.test(text) || !URL.canParse(text, ANY_ORIGIN)) return null;
  const { origin, pathname } = new URL(text, ANY_ORIGIN);
  if (origin !== ANY_ORIGIN || pathname.startsWith('//') || /^\/(?:auth|login)(?:\/|$)/.test(pathname)) return null;
  return text;
}
