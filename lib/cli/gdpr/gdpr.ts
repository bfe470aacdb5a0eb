import { clientCommand, asRecord, pathSegment } from '../client/client-command.ts';
import { confirm } from '../client/prompt.ts';
import { isRecord } from '../../base/is-record.ts';
import { defineGroup, positional } from '../command.ts';
import { BYTE } from '../../base/text/byte.ts';

/** The same bytes, cut only after line feeds: whoever stops in between has no half line. */
async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const rest: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(BYTE.lineFeed) + 1;
    if (end > 0) yield Buffer.concat([...rest.splice(0), chunk.subarray(0, end)]);
    if (end < chunk.length) rest.push(chunk.subarray(end));
  }
  if (rest.length > 0) yield Buffer.concat([...rest, Buffer.of(BYTE.lineFeed)]);
}

const exportUser = clientCommand({
  usage: 'export <user-id>',
  summary: 'Export all data of a user, one JSON object per line',
  examples: [['wl gdpr export u1 > u1.ndjson', 'profile, devices, then events in order of time']],
  options: { 'user-id': positional('The user id, as sent with events') },
  run: async ({ 'user-id': userId }, { api, output }) => {
    const path = `/api/gdpr/users/${pathSegment(userId, 'user')}/export`;
    const bytes = await api.stream({ method: 'GET', path, key: 'privacy', retry: 'safe' });
    for await (const lines of wholeLines(bytes)) if (!(await output.lines(lines))) return;
  },
});

const deleteUser = clientCommand({
  usage: 'delete <user-id>',
  summary: 'Erase all data of a user: events, devices and profile',
  examples: [
    ['wl gdpr delete u1', 'asks for confirmation'],
    ['wl gdpr delete u1 --yes --timeout 5m', 'no prompts, and enough time for many events'],
  ],
  options: { 'user-id': positional('The user id, as sent with events') },
  run: async ({ 'user-id': userId }, { api, output, terminal, globals }) => {
    const path = `/api/gdpr/users/${pathSegment(userId, 'user')}`;
    const question = `Permanently erase everything about the user ${JSON.stringify(userId)} at ${api.host}?`;
    await confirm(question, { globals, terminal });
    const answer = asRecord(await api.json({ method: 'DELETE', path, key: 'privacy', retry: 'rate' }));
    const { deleted } = answer;
    await output.record(output.format === 'table' && isRecord(deleted) ? deleted : answer);
  },
});

export const gdpr = defineGroup({
  name: 'gdpr',
  summary: 'Export or erase the data of one user',
  commands: [exportUser, deleteUser],
});
