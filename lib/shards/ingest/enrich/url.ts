/** Parts of the URLs that events carry. */
import type { EnrichedField } from './enriched.ts';
import { cleanPath } from './path-clean.ts';
import { remembered } from './remembered.ts';

/** A project's events repeat its pages. An entry takes at most 6 KB, all of them at most 24 MB, usually 1 or 2 MB. */
const LIMITS = { entries: 4096, keyLength: 1024 };

export interface UrlParts {
  readonly hostname: string;
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
  return url && { hostname: url.hostname, path: url.pathname, pathClean: cleanPath(url.pathname) };
}

/** The fields of an event whose `event_properties.url` is this text: `_hostname`, `_path`, `_path_clean`. */
export const urlFields = remembered(LIMITS, (text): readonly EnrichedField[] => {
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
  present([['_referrer_domain', urlParts(text)?.hostname ?? '']]),
);

function present(fields: readonly EnrichedField[]): readonly EnrichedField[] {
  return fields.filter(([, text]) => text !== '');
}
