import { clientCommand } from '../client/client-command.ts';
import { asRecord } from '../client/records.ts';
import { adminRequest, IDEMPOTENCY_KEY } from './admin-api.ts';

export const projectCreate = clientCommand({
  usage: 'create <name>',
  summary: 'Create a project and print its keys',
  examples: [
    ['wl project create "Shop"', 'id, public key, secret key'],
    ['wl project create "Acme" --idempotency-key order-1017', 'created once, however often you send it'],
  ],
  options: {
    name: { type: 'string', demandOption: true, describe: 'Name of the project' },
    'idempotency-key': IDEMPOTENCY_KEY,
  },
  run: async ({ name, 'idempotency-key': idempotencyKey }, { api, output }) => {
    const request = adminRequest('POST', '/projects', { body: { name }, idempotencyKey });
    await output.record(asRecord(await api.json(request)));
  },
});
