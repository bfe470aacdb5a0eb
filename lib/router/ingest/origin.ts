/** What a request tells the store of its sender, besides its events. */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError } from '../../base/errors.ts';
import type { ClientHints, GeoLocation, RequestContext } from '../../store/event-store.ts';
import type { ProjectCredential } from '../auth/credentials.ts';
import type { Client } from '../http/client-address.ts';
import type { RouterContext } from '../context.ts';
import { isSwitchedOn, onlyParameter, queryParameters } from '../http/query-string.ts';

interface Sender {
  readonly credential: ProjectCredential;
  readonly client: Client;
  /** When its request arrived, milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** Throws AppError 400 for a `device` that is not known. */
export async function originOf(
  { salt, config }: Pick<RouterContext, 'salt' | 'config'>,
  request: IncomingMessage,
  { credential, client, receivedAt }: Sender,
): Promise<RequestContext> {
  const keyKind = credential.kind === 'public' ? 'public' : 'trusted';
  const sender = { ip: client.ip, userAgent: request.headers['user-agent'] ?? null };
  const daily = asksForDailyDevice(request) && keyKind === 'public'; // a server's request tells nothing of a device
  const hints = clientHints(request);
  return {
    receivedAt,
    keyKind,
    ...sender,
    ...(daily ? { device: dailyDevice(await salt.salt, { project: credential.project.id, ...sender }) } : {}),
    ...(hints === null ? {} : { hints }),
    ...(isSwitchedOn(request, 'strict') ? { strict: true } : {}),
    place: client.trusted ? locationOf(request.headers, config.geoipFile === null ? 'fly' : 'database') : null,
  };
}

/** `?device=daily`, for pages that store nothing. Throws AppError 400 for another `device`, since its sender means something by it. */
function asksForDailyDevice(request: IncomingMessage): boolean {
  const device = onlyParameter(queryParameters(request), 'device');
  if (device === undefined) return false;
  if (device === 'daily') return true;
  throw new AppError('bad_request', 'The query parameter device accepts only "daily".', {
    hints: ['Send a device id in the event, as device_id.'],
  });
}

/** The same all day for a browser at an address, in one project; unlike all others, and another tomorrow. */
function dailyDevice(
  salt: Uint8Array,
  { project, ip, userAgent }: { project: string; ip: string | null; userAgent: string | null },
): string {
  const hash = createHmac('sha256', salt).update(JSON.stringify([project, ip, userAgent]));
  // Characters of 6 bits: enough that no two devices of a day collide.
  return `daily_${hash.digest('base64url').slice(0, 22)}`;
}

/**
 * User-agent client hints. Chromium sends the first three headers to every host over HTTPS; version and model of the system only to
 * hosts that a page names in a policy, so the script for pages brings them in the address, which needs no preflight.
 */
const HEADERS = [
  ['brands', 'sec-ch-ua'],
  ['mobile', 'sec-ch-ua-mobile'],
  ['platform', 'sec-ch-ua-platform'],
  ['platformVersion', 'sec-ch-ua-platform-version'],
  ['model', 'sec-ch-ua-model'],
] as const satisfies readonly (readonly [hint: keyof ClientHints, header: string])[];

/** null: there are none. */
function clientHints(request: IncomingMessage): ClientHints | null {
  const hints: { -readonly [K in keyof ClientHints]: ClientHints[K] } = {};
  const parameters = /[?&](?:platformVersion|model)=/.test(request.url ?? '') ? queryParameters(request) : null;
  let found = false;
  for (const [key, header] of HEADERS) {
    const sent = parameters?.get(key) || request.headers[header]; // the script asks the browser itself
    // Longest hint, UTF-16 units; lists of brands have about 100.
    const text = typeof sent === 'string' ? plain(sent.slice(0, 256)) : '';
    if (text === '') continue;
    hints[key] = text;
    found = true;
  }
  return found ? hints : null;
}

/** The text of a header's value, which is in quotes where it is one text; a list stays as it is. */
function plain(value: string): string {
  return (/^"([^"]*)"$/.exec(value.trim())?.[1] ?? value).trim().toWellFormed();
}

type LocationHeaders = { readonly [K in keyof GeoLocation]?: string };

/** Headers of each proxy, in the order of lookup: those the operator sets by hand first. */
const PROXIES: readonly LocationHeaders[] = [
  {
    country: 'x-geo-country',
    region: 'x-geo-region',
    city: 'x-geo-city',
    continent: 'x-geo-continent',
    timezone: 'x-geo-timezone',
    latitude: 'x-geo-latitude',
    longitude: 'x-geo-longitude',
  },
  {
    // Cloudflare
    country: 'cf-ipcountry',
    region: 'cf-region',
    city: 'cf-ipcity',
    continent: 'cf-ipcontinent',
    timezone: 'cf-timezone',
    latitude: 'cf-iplatitude',
    longitude: 'cf-iplongitude',
  },
  {
    // Vercel
    country: 'x-vercel-ip-country',
    region: 'x-vercel-ip-country-region',
    city: 'x-vercel-ip-city',
    continent: 'x-vercel-ip-continent',
    timezone: 'x-vercel-ip-timezone',
    latitude: 'x-vercel-ip-latitude',
    longitude: 'x-vercel-ip-longitude',
  },
  {
    // CloudFront
    country: 'cloudfront-viewer-country',
    region: 'cloudfront-viewer-country-region',
    city: 'cloudfront-viewer-city',
    timezone: 'cloudfront-viewer-time-zone',
    latitude: 'cloudfront-viewer-latitude',
    longitude: 'cloudfront-viewer-longitude',
  },
];

/** Fly.io sends no country, only the region code of the edge that took the request, which is near the client. */
const FLY: LocationHeaders = { region: 'fly-region' };

const KEYS = ['country', 'region', 'city', 'continent', 'timezone', 'latitude', 'longitude'] as const;
const UNKNOWN = new Set(['', 'XX', 'T1', 'ZZ', '-']); // what proxies write for "not known", and Cloudflare for Tor

/**
 * The location in the headers of one proxy; the first proxy with any wins, they are not mixed. null: there is none. `fallback`: a
 * database of addresses is better than the region of Fly's edge.
 */
export function locationOf(headers: IncomingHttpHeaders, fallback: 'fly' | 'database'): GeoLocation | null {
  for (const proxy of PROXIES) {
    const place = read(headers, proxy);
    if (place !== null) return place;
  }
  return fallback === 'fly' ? read(headers, FLY) : null;
}

function read(headers: IncomingHttpHeaders, names: LocationHeaders): GeoLocation | null {
  const place: { -readonly [K in keyof GeoLocation]: GeoLocation[K] } = {};
  let found = false;
  for (const key of KEYS) {
    const name = names[key];
    const value = name === undefined ? undefined : headers[name];
    // Characters; the longest place names are shorter.
    const text = typeof value === 'string' ? decode(value).slice(0, 128).trim() : '';
    if (UNKNOWN.has(text)) continue;
    place[key] = text;
    found = true;
  }
  return found ? place : null;
}

/** Node reads headers as Latin-1; proxies send city names as UTF-8 or percent-encoded. */
function decode(value: string): string {
  const utf8 = /[\u0080-\u00ff]/.test(value) ? asUtf8(value) : value;
  if (!utf8.includes('%')) return utf8;
  try {
    return decodeURIComponent(utf8);
  } catch {
    return utf8; // a literal percent sign
  }
}

function asUtf8(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? value : text;
}
