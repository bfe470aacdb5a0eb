/** /healthz: the process answers. /readyz: it accepts events and queries. Plain words, for balancers and people. */
import { AppError } from '../base/errors.ts';
import { sendText } from './http/answer.ts';
import type { DirectHandler } from './http/direct.ts';
import type { RouterContext } from './context.ts';

const PLAIN = 'text/plain';

export function healthz(): DirectHandler {
  return async (_request, response) => sendText(response, 200, PLAIN, 'ok');
}

export function readyz({ lifecycle, store }: RouterContext): DirectHandler {
  return async (_request, response) => {
    if (lifecycle.draining) throw new AppError('shutting_down', 'The service is shutting down.');
    const { ok, reason } = store.ready();
    if (!ok) throw new AppError('storage_unavailable', reason ?? 'The store cannot take events.');
    sendText(response, 200, PLAIN, 'ready');
  };
}
