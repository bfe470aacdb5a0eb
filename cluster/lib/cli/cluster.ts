/** `wl admin cluster`: the ClickHouse that WINDLASS_STORE names. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  BY_OPERATOR,
  type ClickHouseLocation,
  clickHouseOf,
  controlCommand,
  flag,
  folderCommand,
  type CommandResult,
  positional,
  requireData,
  tableText,
  UsageError,
} from '../../../lib/seam.ts';
import type { Imported } from '../move/import-folder.ts';

const clusterImport = folderCommand({
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
    finish: flag('The server is stopped: copy all that is left'),
  },
  onCluster: true,
  run: async ({ finish }, config, terminal) => {
    requireData(config.data);
    const store = clickHouseOf(config);
    const { importFolder } = await import('../move/import-folder.ts');
    let told = performance.now();
    const onProject = (done: number, of: number): void => {
      terminal.status(`${done} of ${of} projects`);
      // Between two lines of progress where stderr is no terminal.
      if (terminal.stderr.isTTY === true || performance.now() < told + 10_000) return;
      told = performance.now();
      terminal.say(`${done} of ${of} projects`);
    };
    const imported = await importFolder({ config: { ...config, store }, finish, onProject });
    const { projects, failed, finished } = imported;
    return {
      json: { finished, projects: projects.map(outcomeOf), failed: failed.map(({ id }) => id) },
      text: textOf(imported, config.data),
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

const clusterExport = controlCommand({
  usage: 'export <project> <file>',
  summary: 'Export a project of the cluster to one file: events, profiles, settings, dashboards, cohorts and alerts',
  examples: [
    ['wl admin cluster export prj_… shop.windlass', 'for `wl admin project import` on a host with a data folder'],
    ['wl admin cluster export prj_… shop.windlass --keep-keys', 'with its keys and tokens, in clear'],
  ],
  options: {
    project: positional('Id of the project'),
    file: positional('File to create'),
    'keep-keys': flag('Include keys and tokens'),
  },
  completes: { file: 'file' },
  run: async ({ project, file, ...args }, control, config) => {
    const target = resolve(file);
    if (existsSync(target)) throw new UsageError(`${target} already exists`);
    const { exportProject } = await import('../move/export-project.ts');
    const wanted = { project, target, keepKeys: args['keep-keys'], store: clickHouseOf(config), data: config.data };
    const { name, events, bytes } = await exportProject(control, wanted, BY_OPERATOR);
    return {
      json: { project, file: target, events, bytes },
      text: `${target}: ${name}, ${events} events, ${bytes} bytes`,
    };
  },
});

const clusterEraseAgain = controlCommand({
  usage: 'erase-again',
  summary: 'Erase from a restored ClickHouse what was erased since its backup, before the first node starts',
  examples: [['wl admin cluster erase-again', 'after a restore: users by the log of erasures, and deleted projects']],
  options: {},
  run: async (_args, control, config) => {
    const { eraseAgain } = await import('../move/erase-again.ts');
    const { projects, users, events } = await eraseAgain(control, { store: clickHouseOf(config), data: config.data });
    return {
      json: { deleted_projects: projects, users, events },
      text: `Erased again: ${projects.length} deleted projects, ${users} users with ${events} events.`,
    };
  },
});

const init = folderCommand({
  usage: 'init',
  summary: 'Create the tables on ClickHouse',
  examples: [
    ['wl admin cluster init --print', 'prints the statements, to review them or run them yourself'],
    ['wl admin cluster init', 'creates the tables on the server that WINDLASS_STORE names'],
  ],
  options: { print: flag('Print the statements without running them') },
  onCluster: true,
  whileRestoring: true,
  run: async ({ print }, config) => {
    const store = clickHouseOf(config);
    if (!print) return bringUp(store);
    const { statementsFrom } = await import('../clickhouse/migrate.ts');
    const statements = statementsFrom(0, store);
    return { json: statements, text: script(statements) };
  },
});

const upgrade = folderCommand({
  usage: 'upgrade',
  summary: 'Upgrade the tables on ClickHouse for this release',
  examples: [['wl admin cluster upgrade', 'before you start the first node of a new release']],
  options: {},
  onCluster: true,
  whileRestoring: true,
  run: async (_args, config) => bringUp(clickHouseOf(config)),
});

export const CLUSTER_COMMANDS = [init, upgrade, clusterImport, clusterExport, clusterEraseAgain];

/** Loads what it needs only now: other commands of `wl admin` start without it. */
async function bringUp(store: ClickHouseLocation): Promise<CommandResult> {
  const { migrate } = await import('../clickhouse/migrate.ts');
  const { version, statements } = await migrate(store);
  const since = statements.length > 0 ? 'now' : 'already';
  const line = `The tables in database ${store.database} are ${since} at version ${version}.`;
  return { json: { version, statements }, text: statements.length > 0 ? `${script(statements)}\n${line}` : line };
}

const script = (statements: readonly string[]): string => statements.map((statement) => `${statement};`).join('\n\n');
