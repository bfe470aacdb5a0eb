import type { ApiClient } from './client/api-client.ts';
import { clientCommand } from './client/client-command.ts';
import { ServerError } from './client/client-error.ts';

export const health = clientCommand({
  usage: 'health',
  summary: 'Check the server; exits with 1 if it is down or not ready',
  examples: [['wl health --quiet && echo well', 'in a script']],
  options: {},
  run: async (_args, { api, output, terminal }) => {
    const [healthy, ready] = await Promise.all([probe(api, '/healthz', 'ok'), probe(api, '/readyz', 'ready')]);
    await output.record({ host: api.host, healthy: healthy === null, ready: ready === null });
    for (const problem of new Set([healthy, ready])) if (problem !== null) terminal.say(`wl: ${problem}`);
    return healthy === null && ready === null ? 0 : 1;
  },
});

/** What is wrong, or null. Throws TransportError if there is no answer. */
async function probe(api: ApiClient, path: string, expected: string): Promise<string | null> {
  try {
    const { body } = await api.send({ method: 'GET', path, key: null, retry: 'never' });
    const isOurs = body.toString('utf8').trim() === expected;
    return isOurs ? null : `${api.host} answers ${path}, but does not look like a Windlass server. Check the host.`;
  } catch (error) {
    if (error instanceof ServerError) return error.message;
    throw error;
  }
}
