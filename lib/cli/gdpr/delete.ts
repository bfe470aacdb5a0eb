import { clientCommand } from '../client/client-command.ts';
import { confirm } from '../client/confirm.ts';
import { pathSegment } from '../client/path-segment.ts';
import { asRecord } from '../client/records.ts';
import { isRecord } from '../../base/is-record.ts';

export const gdprDelete = clientCommand({
  usage: 'delete <user-id>',
  summary: 'Erase all data of a user: events, devices and profile',
  examples: [
    ['wl gdpr delete u1', 'asks for confirmation'],
    ['wl gdpr delete u1 --yes --timeout 5m', 'no prompts, and enough time for many events'],
  ],
  options: { 'user-id': { type: 'string', demandOption: true, describe: 'The user id, as sent with events' } },
  run: async ({ 'user-id': userId }, { api, output, terminal, globals }) => {
    const path = `/api/gdpr/users/${pathSegment(userId, 'user')}`;
    const question = `Erase everything about the user ${JSON.stringify(userId)} at ${api.host}, for ever?`;
    await confirm(question, { yes: globals.yes, terminal });
    const answer = asRecord(await api.json({ method: 'DELETE', path, key: 'privacy', retry: 'rate' }));
    const { deleted } = answer;
    await output.record(output.format === 'table' && isRecord(deleted) ? deleted : answer);
  },
});
