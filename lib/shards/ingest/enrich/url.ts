/** Parts of the URLs that events carry. */
import type { EnrichedField } from './enriched.ts';
import { Lru } from './lru.ts';
import { cleanPath } from './path-clean.ts';

/** A project's events repeat its pages. An entry takes at most 6 KB, all of them at most 24 MB, usually 1 or 2 MB. */
const LIMITS = { entries: 4096, keyLength: 1024 };
const urls = new Lru<readonly EnrichedField[]>(LIMITS);
const referrers = new Lru<readonly EnrichedField[]>(LIMITS);

export interface UrlParts {
  readonly hostname: string;
  readonly path: string;
  /** The path with `{id}` in place of ids. */
  readonly pathClean: string;
}

/** The parts of an absolute URL by the WHATWG rules (host in lower case, punycode); null if the text is none. */
export function urlParts(text: string): UrlParts | null {
  const url = URL.parse(text);
  return url && { hostname: url.hostname, path: url.pathname, pathClean: cleanPath(url.pathname) };
}

/** The fields of an event whose `event_properties.url` is this text: `_hostname`, `_path`, `_path_clean`. */
export function urlFields(text: string): readonly EnrichedField[] {
  return urls.get(text, (url) => {
    const parts = urlParts(url);
    if (parts === null) return [];
    return present([
      ['_hostname', parts.hostname],
      ['_path', parts.path],
      ['_path_clean', parts.pathClean],
    ]);
  });
}

/** The fields of an event whose `event_properties.referrer` is this text: `_referrer_domain`. */
export function referrerFields(text: string): readonly EnrichedField[] {
  return referrers.get(text, (url) => present([['_referrer_domain', urlParts(url)?.hostname ?? '']]));
}

function present(fields: readonly EnrichedField[]): readonly EnrichedField[] {
  return fields.filter(([, text]) => text !== '');
}
