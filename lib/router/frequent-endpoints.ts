/** The endpoints of frequent requests, which are answered without the framework. */
import type { RouterContext } from './context.ts';
import { healthz, readyz } from './health.ts';
import type { DirectEndpoint } from './http/direct.ts';
import { identify } from './ingest/identify.ts';
import { track } from './ingest/track.ts';
import { query } from './query/query.ts';

/** By path. */
export function frequentEndpoints(context: RouterContext): ReadonlyMap<string, DirectEndpoint> {
  return new Map<string, DirectEndpoint>([
    ['/track', { method: 'post', answer: track(context), open: 'beacons' }],
    ['/identify', { method: 'post', answer: identify(context), open: 'beacons' }],
    ['/query', { method: 'post', answer: query(context), open: 'keys' }],
    ['/healthz', { method: 'get', answer: healthz(), open: null }],
    ['/readyz', { method: 'get', answer: readyz(context), open: null }],
  ]);
}
