/** /healthz: the process answers. /readyz: it accepts events and queries. Plain words, for balancers and people. */
import { AppError } from '../base/errors.ts';
import { sendText } from './http/answer.ts';
import { operation, type Routes } from './route/route.ts';

const SERVICE = { tags: ['service'], security: [] };
const PLAIN = 'text/plain';

export const HEALTH_ROUTES: Routes = {
  '/healthz': {
    get: operation(SERVICE, 'healthz', 'Whether the process is alive.', {
      ok: word('ok'),
      handler: () => (_request, response) => sendText(response, 200, PLAIN, 'ok'),
    }),
  },
  '/readyz': {
    get: operation(SERVICE, 'readyz', 'Whether the service accepts events and queries.', {
      ok: word('ready'),
      handler:
        ({ lifecycle, store, control }) =>
        (_request, response) => {
          if (lifecycle.draining) throw new AppError('shutting_down', 'The service is shutting down.');
          const { ok, reason } = store.ready();
          if (!ok) throw new AppError('storage_unavailable', reason ?? 'The store cannot take events.');
          if (!control.answers) throw new AppError('storage_unavailable', 'The control database does not answer.');
          sendText(response, 200, PLAIN, 'ready');
        },
    }),
  },
};

function word(schema: string): unknown {
  return { description: 'Yes.', content: { [PLAIN]: { schema: { const: schema } } } };
}
