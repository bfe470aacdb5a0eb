import { clientCommand } from '../client/client-command.ts';
import { quoted } from './ask.ts';
import { rangeText } from './range-text.ts';
import { showAnswer } from './show-answer.ts';

export const inspect = clientCommand({
  usage: 'inspect [event]',
  summary: 'List the events of a project, or the fields of one event',
  examples: [
    ['wl inspect', 'the events of the last 30 days'],
    ['wl inspect signup --last 90d', 'the fields of signup, with examples'],
  ],
  options: {
    event: { type: 'string', describe: 'Name of an event [default: all events]' },
    last: { type: 'string', requiresArg: true, describe: 'Time range [default: 30d, or 7d for one event]' },
  },
  completes: { event: 'event' },
  formats: ['table', 'json', 'csv', 'markdown'],
  run: async ({ event, last }, session) => {
    const isAll = event === undefined || event === '*';
    const range = rangeText('last', last ?? (isAll ? '30d' : '7d'));
    await showAnswer(session, `inspect ${isAll ? '*' : quoted(event)} | last ${range}`, {});
  },
});
