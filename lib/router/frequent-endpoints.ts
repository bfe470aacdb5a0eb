/** The endpoints of frequent requests, which are answered without the framework. */
import type { RouterContext } from './context.ts';
import type { DirectEndpoint, DirectHandler } from './http/direct.ts';
import { identify, track } from './ingest/ingest.ts';
import { query } from './query/query.ts';
import { AppError } from '../base/errors.ts';
import { sendText } from './http/answer.ts';

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

/** /healthz: the process answers. /readyz: it accepts events and queries. Plain words, for balancers and people. */
const PLAIN = 'text/plain';

function healthz(): DirectHandler {
  return async (_request, response) => sendText(response, 200, PLAIN, 'ok');
}

function readyz({ lifecycle, store, control }: RouterContext): DirectHandler {
  return async (_request, response) => {
    if (lifecycle.draining) throw new AppError('shutting_down', 'The service is shutting down.');
    const { ok, reason } = store.ready();
    if (!ok) throw new AppError('storage_unavailable', reason ?? 'The store cannot take events.');
    if (!control.answers) throw new AppError('storage_unavailable', 'The control database does not answer.');
    sendText(response, 200, PLAIN, 'ready');
  };
}
