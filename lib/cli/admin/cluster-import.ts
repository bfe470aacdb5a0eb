import { requireData } from '../../control/process/check.ts';
import type { Imported } from '../../move/import-folder.ts';
import { tableText } from '../text.ts';
import { clickHouseOf, folderCommand } from './admin-command.ts';

/** Between two lines of progress where stderr is no terminal, milliseconds. */
const TOLD_EVERY = 10_000;

export const clusterImport = folderCommand({
  usage: 'import',
  summary: 'Copy a data folder to the cluster while its server runs; with --finish, the rest, with the server stopped',
  examples: [
    ['wl admin cluster import --data ./data', 'copies every project; again, copies what came since'],
    [
      'wl admin cluster import --data ./data --finish',
      'the rest, compares all, and fills WINDLASS_CONTROL if it is set',
    ],
  ],
  options: {
    finish: { type: 'boolean', default: false, describe: 'The server is stopped: copy all that is left' },
  },
  onCluster: true,
  run: async ({ finish }, { path, config }, terminal) => {
    requireData(path);
    const store = clickHouseOf(config);
    const { importFolder } = await import('../../move/import-folder.ts');
    let told = performance.now();
    const onProject = (done: number, of: number): void => {
      terminal.status(`${done} of ${of} projects`);
      if (terminal.stderr.isTTY === true || performance.now() < told + TOLD_EVERY) return;
      told = performance.now();
      terminal.say(`${done} of ${of} projects`);
    };
    const imported = await importFolder({ config: { ...config, store }, finish, onProject });
    const { projects, failed, finished } = imported;
    return {
      json: { finished, projects: projects.map(outcomeOf), failed: failed.map(({ id }) => id) },
      text: textOf(imported, path),
      problems: failed.map(({ id, error }) => `${id}: ${[error.message, ...(error.data.hints ?? [])].join('; ')}`),
    };
  },
});

const outcomeOf = ({ id, events, days, profiles, bindings, copied, removed }: Imported['projects'][number]) => {
  return { project: id, events, days, profiles, bindings, copied, removed };
};

const COLUMNS = ['project', 'events', 'days', 'profiles', 'bindings', 'copied', 'removed'] as const;

function textOf({ projects, failed, finished }: Imported, data: string): string {
  const rows = projects.map((project) => COLUMNS.map((name) => outcomeOf(project)[name]));
  return [
    tableText(COLUMNS, rows),
    'Each has the same events in both places on every day, and the same profiles and bindings.',
    finished
      ? `Everything of ${data} is in the cluster: start the nodes. Its shards and journal are not read any more, and still have all data: remove them when you no longer need them.`
      : failed.length > 0
        ? 'Some projects could not be copied. Run it again when that is mended: it goes on from here.'
        : `To copy what comes from now on, run it again; when that takes little time, stop the server and run it with --finish.`,
  ].join('\n');
}
