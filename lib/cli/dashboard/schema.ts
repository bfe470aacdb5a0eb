import { DASHBOARD_SCHEMA } from '../../dashboards/schema.ts';
import { clientCommand } from '../client/client-command.ts';
import { OUTPUT_OPTION, writeOutput } from './write-output.ts';

export const dashboardSchema = clientCommand({
  usage: 'schema',
  summary: 'Print the JSON Schema of dashboards, for editors and agents',
  examples: [['wl dashboard schema --output dashboard.schema.json', 'into a file']],
  options: { output: OUTPUT_OPTION },
  completes: { output: 'file' },
  run: async ({ output }, session) => {
    await writeOutput(session, { output, text: `${JSON.stringify(DASHBOARD_SCHEMA, null, 2)}\n` });
  },
});
