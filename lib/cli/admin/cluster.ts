/** `wl admin cluster`: the ClickHouse that WINDLASS_STORE names. */
import type { ClickHouseLocation } from '../../base/config/clickhouse-location.ts';
import { readConfig } from '../../base/config/config.ts';
import type * as Migrate from '../../clickhouse/migrate.ts';
import { clickHouseOf } from './admin-command.ts';
import { clusterEraseAgain } from './cluster-erase-again.ts';
import { clusterExport } from './cluster-export.ts';
import { clusterImport } from './cluster-import.ts';
import { defineCommand, defineGroup, type Command } from '../command.ts';
import type { Terminal } from '../terminal.ts';

const PRINT = { type: 'boolean', default: false, describe: 'Print the statements without running them' } as const;

const init = defineCommand({
  usage: 'init',
  summary: 'Create the tables on ClickHouse',
  examples: [
    ['wl admin cluster init --print', 'prints the statements, to review them or run them yourself'],
    ['wl admin cluster init', 'creates the tables on the server that WINDLASS_STORE names'],
  ],
  options: { print: PRINT },
  run: async ({ print, ...args }, terminal) => {
    const store = namedStore();
    if (!print) return bringUp(store, args, terminal);
    const statements = (await load()).statementsFrom(0, store);
    if (isJson(args)) terminal.printJson(statements);
    else terminal.print(text(statements));
    return 0;
  },
});

const upgrade: Command = defineCommand({
  usage: 'upgrade',
  summary: 'Upgrade the tables on ClickHouse for this release',
  examples: [['wl admin cluster upgrade', 'before you start the first node of a new release']],
  options: {},
  run: (args, terminal) => bringUp(namedStore(), args, terminal),
});

export const cluster = defineGroup({
  name: 'cluster',
  summary: 'Manage the tables on ClickHouse, and move projects there and back',
  commands: [init, upgrade, clusterImport, clusterExport, clusterEraseAgain],
});

const namedStore = (): ClickHouseLocation => clickHouseOf(readConfig(process.env));

async function bringUp(store: ClickHouseLocation, args: object, terminal: Terminal): Promise<number> {
  const { version, statements } = await (await load()).migrate(store);
  if (isJson(args)) {
    terminal.printJson({ version, statements });
    return 0;
  }
  if (statements.length > 0) terminal.print(`${text(statements)}\n`);
  const since = statements.length > 0 ? 'now' : 'already';
  terminal.print(`The tables in database ${store.database} are ${since} at version ${version}.`);
  return 0;
}

/** `--json`, an option of all commands of `wl admin`. */
const isJson = (args: object): boolean => 'json' in args && args.json === true;

/** When it is needed: other commands of `wl admin` start without it. */
const load = (): Promise<typeof Migrate> => import('../../clickhouse/migrate.ts');

const text = (statements: readonly string[]): string => statements.map((statement) => `${statement};`).join('\n\n');
