import { clientCommand, type Session } from '../client/client-command.ts';
import { askRows } from '../query/ask.ts';
import { starterDashboard } from './starter.ts';
import { OUTPUT_OPTION, writeOutput } from './write-output.ts';

/** Events that get cards. */
const MOST_EVENTS = 20;

export const dashboardInit = clientCommand({
  usage: 'init',
  summary: 'Write a starter dashboard from the events of the project',
  examples: [['wl dashboard init --output growth.yaml', 'then: wl dashboard view --file growth.yaml']],
  options: { output: OUTPUT_OPTION },
  completes: { output: 'file' },
  run: async ({ output }, session) => {
    await writeOutput(session, { output, text: starterDashboard(await eventsOf(session)) });
  },
});

/** Most frequent first; none without a key: the starter works for any project. */
async function eventsOf({ api, settings, terminal }: Session): Promise<readonly string[]> {
  if (settings.apiKey === null) {
    terminal.say('wl: without an API key the dashboard covers any event; with one, the events of the project');
    return [];
  }
  const { rows } = await askRows(api, 'inspect *', { limit: MOST_EVENTS });
  return rows.flatMap(({ event_type: event }) => (typeof event === 'string' ? [event] : []));
}
