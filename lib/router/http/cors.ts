/**
 * Cross-origin access. What browsers may call with a key is open to pages of any origin and never relies on a cookie: /track,
 * /identify and /query read none, and come before the sessions.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setHeaders, type HeaderList } from './answer.ts';

/**
 * `beacons`: browsers send beacons with credentials, and accept the answer only if it names their own origin and allows
 * credentials. `keys`: requests without credentials.
 */
export type Openness = 'beacons' | 'keys';

const EXPOSED = [
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Total-Count',
  'X-Next-Cursor',
  'X-Complete',
  'X-Rows',
  'X-Columns',
  'X-Rows-Scanned',
  'Server-Timing',
  'X-Windlass-Version',
].join(', ');

const PREFLIGHT = {
  Allow: 'POST',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Content-Encoding, X-API-Key, Authorization',
  'Access-Control-Max-Age': '86400', // seconds; browsers cap it
};

const BEACONS = /^\/(?:track|identify|(?:segment\/)?v1\/\w+)(?:\?|$)/;

/** How open the path of a request is, for answers sent before its endpoint is known. */
export function opennessOf({ url = '' }: IncomingMessage): Openness {
  return BEACONS.test(url) ? 'beacons' : 'keys';
}

/** Opens an answer to pages of any origin. Called before anything can fail, so that pages can read errors too. */
export function openToOrigins({ headers }: IncomingMessage, response: ServerResponse, openness: Openness): void {
  setHeaders(response, openHeaders(openness, headers.origin));
}

function openHeaders(openness: Openness, origin: string | undefined): HeaderList {
  const always = ['Access-Control-Expose-Headers', EXPOSED, ...(openness === 'beacons' ? ['Vary', 'Origin'] : [])];
  if (openness === 'keys' || origin === undefined) return [...always, 'Access-Control-Allow-Origin', '*'];
  return [...always, 'Access-Control-Allow-Origin', origin, 'Access-Control-Allow-Credentials', 'true'];
}

/** Answers OPTIONS. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, openness: Openness): void {
  openToOrigins(request, response, openness);
  response.writeHead(204, PREFLIGHT);
  response.end();
}

/** Lets pages of any origin load what is the same for everybody: style sheets, scripts, pictures. */
export function openToEmbedding(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
}
