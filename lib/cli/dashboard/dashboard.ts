import { clientCommand, type ClientSession, asRecord, asRecords, pathSegment } from '../client/client-command.ts';
import { askRows } from '../query/ask.ts';
import { starterDashboard } from '../../dashboards/starter.ts';
import { OUTPUT_OPTION, writeOutput, problemsOf, readDashboards } from './dashboard-file.ts';
import { DASHBOARD_SCHEMA } from '../../dashboards/schema.ts';
import { problemLine } from '../../dashboards/problem.ts';
import { ClientError, TransportError } from '../client/client-error.ts';
import { wholeNumberOption, defineGroup, required, positional } from '../command.ts';
import { dashboardRun } from './run.ts';
import { dashboardSave } from './save.ts';
import { dashboardSync } from './sync.ts';
import { dashboardView } from './view.ts';
import { counted } from '../text.ts';

const init = clientCommand({
  usage: 'init',
  summary: 'Write a starter dashboard from the events of the project',
  examples: [['wl dashboard init --output growth.yaml', 'then: wl dashboard view --file growth.yaml']],
  options: { output: OUTPUT_OPTION },
  completes: { output: 'file' },
  run: async ({ output }, session) => {
    await writeOutput(session, { output, text: starterDashboard(await eventsOf(session)) });
  },
});

/** Most frequent first; none without a key, or a server: the starter works for any project. */
async function eventsOf({ api, settings, terminal }: ClientSession): Promise<readonly string[]> {
  const withoutProject = (why: string): readonly string[] => {
    terminal.say(`wl: ${why}, so this did not look into a project: the dashboard covers any event`);
    return [];
  };
  if (settings.apiKey === null) return withoutProject('there is no API key');
  try {
    const { rows } = await askRows(api, 'inspect *', { limit: 20 });
    return rows.flatMap(({ event_type: event }) => (typeof event === 'string' ? [event] : []));
  } catch (error) {
    const isAway = error instanceof TransportError && ['refused', 'unknown-host'].includes(error.trouble);
    if (isAway) return withoutProject(`there is no server at ${settings.host.value}`);
    throw error;
  }
}

const schema = clientCommand({
  usage: 'schema',
  summary: 'Print the JSON Schema of dashboards, for editors and agents',
  examples: [['wl dashboard schema --output dashboard.schema.json', 'into a file']],
  options: { output: OUTPUT_OPTION },
  completes: { output: 'file' },
  run: async ({ output }, session) => {
    await writeOutput(session, { output, text: `${JSON.stringify(DASHBOARD_SCHEMA, null, 2)}\n` });
  },
});

const validate = clientCommand({
  usage: 'validate',
  summary: 'Check dashboards and report every problem, without a server',
  examples: [
    ['wl dashboard validate --file growth.yaml', 'exits with 1 if it finds a problem'],
    ['wl dashboard validate --file dashboards --json', 'every file in a folder, as JSON'],
  ],
  options: {
    file: required('A file, a folder of files, or - for stdin'),
  },
  completes: { file: 'file' },
  run: async ({ file: path }, { output, signal }) => {
    const files = await readDashboards(path, signal);
    const problems = problemsOf(files);
    const valid = problems.length === 0;
    if (output.format === 'json') {
      output.json({ valid, files: files.map(({ file }) => file), problems });
    } else {
      const sound = files.filter(({ file }) => !problems.some((problem) => problem.file === file));
      const lines = [
        ...problems.map(({ file, ...problem }) => problemLine(file, problem)),
        ...sound.map(({ file, checked }) => `${file}: valid, ${countedCards(checked.dashboard)}`),
      ];
      output.raw(lines.join('\n'));
    }
    return valid ? 0 : 1;
  },
});

function countedCards(
  dashboard: { readonly sections: readonly { readonly cards: readonly unknown[] }[] } | null,
): string {
  const cards = dashboard?.sections.reduce((sum, section) => sum + section.cards.length, 0) ?? 0;
  return cards === 1 ? 'a card' : `${cards} cards`;
}

const list = clientCommand({
  usage: 'list',
  summary: 'List the dashboards stored in the project of the key',
  examples: [['wl dashboard list', "the project's and your personal ones"]],
  options: {},
  run: async (_args, { api, output }) => {
    const stored = asRecords(await api.json({ method: 'GET', path: '/dashboards', key: 'dashboards', retry: 'safe' }));
    const columns = ['id', 'title', 'order', 'version', 'visibility', 'updated_at', 'updated_by'];
    await output.records(stored, columns, [counted(stored.length, 'dashboard')]);
  },
});

const pull = clientCommand({
  usage: 'pull <id>',
  summary: 'Print the YAML of a stored dashboard, as it was written',
  examples: [
    ['wl dashboard pull growth --output growth.yaml', 'the newest version'],
    ['wl dashboard pull growth --revision 3', 'an earlier version'],
  ],
  options: {
    id: positional('The id of the dashboard'),
    output: OUTPUT_OPTION,
    revision: { type: 'number', requiresArg: true, describe: 'Which version [default: the newest]' },
    visibility: {
      choices: ['personal', 'project'],
      requiresArg: true,
      describe: 'Which one, if two have the same id [default: personal first]',
    },
  },
  completes: { output: 'file' },
  run: async ({ id, output, revision, visibility }, session) => {
    const version =
      revision === undefined ? undefined : String(wholeNumberOption('revision', revision, 1, 999_999_999));
    const { yaml } = asRecord(
      await session.api.json({
        method: 'GET',
        path: `/dashboards/${pathSegment(id, 'dashboard')}`,
        parameters: { version, visibility },
        key: 'dashboards',
        retry: 'safe',
      }),
    );
    if (typeof yaml !== 'string')
      throw new ClientError('The server’s answer has no YAML: does it run another version?');
    await writeOutput(session, { output, text: yaml });
  },
});

export const dashboard = defineGroup({
  name: 'dashboard',
  summary: 'Write, check, run, view and store dashboards',
  commands: [init, schema, validate, dashboardRun, dashboardView, dashboardSync, list, pull, dashboardSave],
});
