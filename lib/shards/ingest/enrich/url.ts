/** Parts of the URLs that events carry. */
import { BYTE } from '../../../base/text/byte.ts';
import { isUtf8 } from 'node:buffer';
import type { EnrichedText } from '../../event.ts';
import { remembered } from '../../../base/lru.ts';

/** A project's events repeat its pages. An entry takes at most 6 KB, all of them at most 24 MB, usually 1 or 2 MB. */
const LIMITS = { entries: 4096, keyLength: 1024 };

export interface UrlParts {
  readonly hostname: string;
  /** With a fragment that is the route of a page: `/app#/orders/7`. */
  readonly path: string;
  /** The path with `{id}` in place of ids. */
  readonly pathClean: string;
}

/**
 * Hosts of domains have at most 253 characters. Some thousand characters that combine with each other would take tens of milliseconds
 * to put in order, once an event. UTF-16 units, with what stands before an `@`.
 */
const MAX_HOST = 1_024;
/** Of schemes whose hosts are domains. */
const HOST = /^[\0- ]*(?:https?|wss?|ftp|file):[/\\]*([^/\\?#]*)/i;

/** The URL by the WHATWG rules; null if the text is none. */
export function parseUrl(text: string): URL | null {
  if (text.length <= MAX_HOST) return URL.parse(text);
  const [, host = ''] = HOST.exec(text.replaceAll(/[\t\n\r]/g, '')) ?? []; // which mean nothing, wherever they stand
  return host.length > MAX_HOST ? null : URL.parse(text);
}

/** The parts of an absolute URL by the WHATWG rules (host in lower case, punycode); null if the text is none. */
export function urlParts(text: string): UrlParts | null {
  const url = parseUrl(text);
  if (url === null) return null;
  const path = url.pathname + (ROUTE.exec(url.hash)?.[0] ?? '');
  return { hostname: url.hostname, path, pathClean: cleanPath(path) };
}

/** A fragment that routers of pages take for a path (`#/a?b`, `#!/a`), without its query. */
const ROUTE = /^#!?\/[^?]*/;

/** The fields of an event whose `event_properties.url` is this text: `_hostname`, `_path`, `_path_clean`. */
export const urlFields = remembered(LIMITS, (text): readonly EnrichedText[] => {
  const parts = urlParts(text);
  if (parts === null) return [];
  return present([
    ['_hostname', parts.hostname],
    ['_path', parts.path],
    ['_path_clean', parts.pathClean],
  ]);
});

/** The fields of an event whose `event_properties.referrer` is this text: `_referrer_domain`. */
export const referrerFields = remembered(LIMITS, (text) =>
  present([['_referrer_domain', parseUrl(text)?.hostname ?? '']]),
);

function present(fields: readonly EnrichedText[]): readonly EnrichedText[] {
  return fields.filter(([, text]) => text !== '');
}

const DIGITS = /^\d+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^[0-9a-f]{16,}$/i;
/** 128 bits in Crockford's base 32: 26 characters, of which the first has 3 bits. */
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;
/** An @, which may be encoded. Only such segments are decoded. */
const AT = /@|%40/;
/** A % that encodes nothing. */
const BARE = /%(?![0-9a-f]{2})/i;
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
  return UUID.test(segment) || ULID.test(segment) || (AT.test(segment) && isEmail(decoded(segment)));
}

/** One @ after some text, then a dot that is neither first nor last. Not a regular expression, which hostile text could slow. */
function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  const dot = text.indexOf('.', at + 2);
  return at > 0 && at === text.lastIndexOf('@') && dot > 0 && dot < text.length - 1 && !/\s/.test(text);
}

/**
 * The segment, of ASCII, with its percent-encoding decoded (%40 is @); unchanged if that is not possible, as with a bare % or invalid
 * UTF-8. Not by decodeURIComponent, which throws then: a URL may have thousands of such segments, and making an error takes longer
 * than everything else here.
 */
function decoded(segment: string): string {
  if (!segment.includes('%') || BARE.test(segment)) return segment;
  const bytes = Buffer.from(segment, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const isEncoded = bytes[at] === BYTE.percent;
    bytes[length++] = isEncoded ? Number.parseInt(segment.slice(at + 1, at + 3), 16) : bytes[at]!;
    if (isEncoded) at += 2;
  }
  const text = bytes.subarray(0, length);
  return isUtf8(text) ? text.toString('utf8') : segment;
}
