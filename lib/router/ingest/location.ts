/** The location of a client, as a trusted proxy's headers give it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Location } from '../../store/event-store.ts';

type LocationHeaders = { readonly [K in keyof Location]?: string };

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
const MAX_LENGTH = 128; // characters; the longest place names are shorter
const UNKNOWN = new Set(['', 'XX', 'T1', 'ZZ', '-']); // what proxies write for "not known", and Cloudflare for Tor

/**
 * The location in the headers of one proxy; the first proxy with any wins, they are not mixed. null: there is none. `fallback`: a
 * database of addresses is better than the region of Fly's edge.
 */
export function locationOf(headers: IncomingHttpHeaders, fallback: 'fly' | 'database'): Location | null {
  for (const proxy of PROXIES) {
    const place = read(headers, proxy);
    if (place !== null) return place;
  }
  return fallback === 'fly' ? read(headers, FLY) : null;
}

function read(headers: IncomingHttpHeaders, names: LocationHeaders): Location | null {
  const place: { -readonly [K in keyof Location]: Location[K] } = {};
  let found = false;
  for (const key of KEYS) {
    const name = names[key];
    const value = name === undefined ? undefined : headers[name];
    const text = typeof value === 'string' ? decode(value).slice(0, MAX_LENGTH).trim() : '';
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
