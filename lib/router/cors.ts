/** Cross-origin access: open for what browsers may call with a key, which never rests on a cookie. */
import type { ServerResponse } from 'node:http';

const EXPOSED = [
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Total-Count',
  'X-Rows-Scanned',
  'Server-Timing',
  'X-Windlass-Version',
].join(', ');

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Content-Encoding, X-API-Key',
  'Access-Control-Max-Age': '86400', // seconds; browsers cut it to what they allow
};

/** Opens an answer to pages of any origin. Called before anything can fail, so that pages can read errors too. */
export function openToOrigins(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}

/** Answers OPTIONS. */
export function answerPreflight(response: ServerResponse): void {
  openToOrigins(response);
  response.writeHead(204, PREFLIGHT);
  response.end();
}
