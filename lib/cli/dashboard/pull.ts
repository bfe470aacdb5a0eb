import { clientCommand } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import { pathSegment } from '../client/path-segment.ts';
import { asRecord } from '../client/records.ts';
import { wholeNumber } from '../query/whole-number.ts';
import { OUTPUT_OPTION, writeOutput } from './write-output.ts';

export const dashboardPull = clientCommand({
  usage: 'pull <id>',
  summary: 'Print the YAML of a stored dashboard, as it was written',
  examples: [
    ['wl dashboard pull growth --output growth.yaml', 'the newest version'],
    ['wl dashboard pull growth --revision 3', 'an earlier version'],
  ],
  options: {
    id: { type: 'string', demandOption: true, describe: 'The id of the dashboard' },
    output: OUTPUT_OPTION,
    revision: { type: 'number', requiresArg: true, describe: 'Which version [default: the newest]' },
    visibility: { choices: ['personal', 'project'], requiresArg: true, describe: 'Which one, if two have the same id [default: personal first]' },
  },
  completes: { output: 'file' },
  run: async ({ id, output, revision, visibility }, session) => {
    const version = revision === undefined ? undefined : String(wholeNumber('revision', revision, 1, 999_999_999));
    const { yaml } = asRecord(
      await session.api.json({
        method: 'GET',
        path: `/dashboards/${pathSegment(id, 'dashboard')}`,
        parameters: { version, visibility },
        key: 'dashboards',
        retry: 'safe',
      }),
    );
    if (typeof yaml !== 'string') throw new ClientError('The server’s answer has no YAML: does it run another version?');
    await writeOutput(session, { output, text: yaml });
  },
}); // prettier-ignore
