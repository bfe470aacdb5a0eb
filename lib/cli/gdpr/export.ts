import { clientCommand } from '../client/client-command.ts';
import { pathSegment } from '../client/path-segment.ts';
import { wholeLines } from './whole-lines.ts';

export const gdprExport = clientCommand({
  usage: 'export <user-id>',
  summary: 'Export all data of a user, one JSON object per line',
  examples: [['wl gdpr export u1 > u1.ndjson', 'profile, devices, then events in order of time']],
  options: { 'user-id': { type: 'string', demandOption: true, describe: 'The user id, as sent with events' } },
  run: async ({ 'user-id': userId }, { api, output }) => {
    const path = `/api/gdpr/users/${pathSegment(userId, 'user')}/export`;
    const bytes = await api.stream({ method: 'GET', path, key: 'privacy', retry: 'safe' });
    for await (const lines of wholeLines(bytes)) if (!(await output.lines(lines))) return;
  },
});
