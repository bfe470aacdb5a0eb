import { clientCommand, type ClientSession, asRecord, pathSegment } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import { readDashboards, soundDashboard, type DashboardFile } from './dashboard-file.ts';
import { required } from '../command.ts';

export const dashboardSync = clientCommand({
  usage: 'sync',
  summary: 'Check dashboards, then store each as a new version in the project of the key',
  examples: [
    ['wl dashboard sync --file growth.yaml', 'for everyone in the project'],
    ['wl dashboard sync --file dashboards --visibility personal', 'for yourself, with a token you created'],
  ],
  options: {
    file: required('A file, or a folder of files'),
    visibility: {
      choices: ['personal', 'project'],
      default: 'project',
      requiresArg: true,
      describe: 'Who can see them',
    },
  },
  completes: { file: 'file' },
  run: async ({ file: path, visibility }, { api, output, signal }) => {
    const named = namedOnce(await readDashboards(path, signal));
    const stored = [];
    for (const { id, file, text } of named) stored.push(await store(api, { id, file, text, visibility }));
    await output.records(stored, ['id', 'version', 'visibility', 'unchanged', 'file']);
  },
});

/** Throws ClientError if a dashboard is invalid, or its id is missing or taken. */
function namedOnce(files: readonly DashboardFile[]): readonly { id: string; file: string; text: string }[] {
  const ids = new Map<string, string>();
  return files.map((one) => {
    const { id } = soundDashboard(one);
    if (id === null) throw new ClientError(`${one.file} has no \`id\`, which it needs to be stored.`);
    const other = ids.get(id);
    if (other !== undefined) throw new ClientError(`${other} and ${one.file} have the same id "${id}".`);
    ids.set(id, one.file);
    return { id, file: one.file, text: one.text };
  });
}

async function store(
  api: ClientSession['api'],
  { id, file, text, visibility }: { id: string; file: string; text: string; visibility: string },
) {
  const answer = asRecord(
    await api.json({
      method: 'PUT',
      path: `/dashboards/${pathSegment(id, 'dashboard')}`,
      parameters: { visibility },
      body: text,
      type: 'application/yaml',
      key: 'dashboards',
      retry: 'safe', // a repeated text adds no version
    }),
  );
  return { ...answer, file };
}
