import { webhookMessageJson } from '../../control/json.ts';
import { type CommandResult, controlCommand, tableOutcome } from './admin-command.ts';
import { wholeNumber, flag } from '../command.ts';

const COLUMNS = ['id', 'type', 'made_at', 'state', 'tries', 'last_try_at', 'last_answer', 'next_try_at'] as const;

export const adminWebhooks = controlCommand({
  usage: 'webhooks',
  summary: 'List webhook messages with their last answers, newest first',
  examples: [
    ['wl admin webhooks', 'the last fifty: pending, delivered or failed'],
    ['wl admin webhooks --limit 1000 --json', 'for a program'],
    ['wl admin webhooks --test', 'send a test message; run it again to see the answer'],
  ],
  options: {
    limit: { type: 'string', default: '50', requiresArg: true, describe: 'Number of messages to show' },
    test: flag('First queue a webhook.test message, which the service sends'),
  },
  run: async ({ limit, test }, control) => {
    if (test) await control.operator.webhooks.addTest();
    return listed((await control.operator.webhooks.list(wholeNumber('limit', limit))).map(webhookMessageJson));
  },
  remote: async ({ limit, test }, host) => {
    if (test) await host.ask('POST', '/webhooks/test');
    return listed(await host.ask('GET', '/webhooks', { parameters: { limit: String(wholeNumber('limit', limit)) } }));
  },
});

const listed = (messages: readonly ReturnType<typeof webhookMessageJson>[]): CommandResult =>
  messages.length === 0 ? { json: [], text: 'there are no messages' } : tableOutcome(messages, COLUMNS);
