/** What the server adds to an event. Worlds have no user agents or locations, so this is only what the event itself says. */
import type { PlainEvent } from './normalise.ts';
import type { JsonObject } from './world.ts';

export function enrich(event: PlainEvent): { [name: string]: string } {
  const url = textOf(event.properties, 'url');
  const referrer = textOf(event.properties, 'referrer');
  const parsed = parseUrl(url);
  const found = {
    _url: url,
    _path: parsed && pathOf(parsed),
    _path_clean: parsed && cleanPath(pathOf(parsed)),
    _hostname: parsed?.hostname,
    _title: textOf(event.properties, 'title'),
    _referrer: referrer,
    _referrer_domain: parseUrl(referrer)?.hostname,
    _library: event.library ?? undefined,
    _ingest_origin: event.origin,
    _import_id: event.importId ?? undefined,
    _platform: event.origin === 'server' ? 'server' : undefined,
  };
  const present = Object.entries(found).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  return Object.fromEntries(present.filter(([name, text]) => text !== '' || SENT.includes(name)));
}

/** These are properties as sent, even ""; empty parts of a URL are left out. */
const SENT = ['_url', '_title', '_referrer'];

function textOf(properties: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function parseUrl(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined; // not an absolute URL
  }
}

/** A fragment that begins like a path belongs to it, without what follows a question mark. */
function pathOf({ pathname, hash }: URL): string {
  const [route = ''] = hash.split('?');
  return route.startsWith('#/') || route.startsWith('#!/') ? pathname + route : pathname;
}

/** Replaces segments that look like identifiers by `{id}`. */
function cleanPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (looksLikeId(segment) ? '{id}' : segment))
    .join('/');
}

function looksLikeId(segment: string): boolean {
  return (
    /^\d+$/.test(segment) ||
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(segment) ||
    /^[0-9a-f]{16,}$/i.test(segment) ||
    /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(segment) ||
    /^[^@/]+@[^@/]+\.[^@/]+$/.test(segment) ||
    (/^[a-z0-9]{8,}$/i.test(segment) && segment.replace(/\D/g, '').length >= 3)
  );
}
