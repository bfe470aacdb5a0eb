/** What the commands of `wl admin` share: they open a data folder's control database and print one value. */
import { isRestoring } from '../../backup/switch-over.ts';
import type { ClickHouseLocation } from '../../base/config/clickhouse-location.ts';
import { ConfigError } from '../../base/config/setting-source.ts';
import { readConfig, type Config } from '../../base/config/config.ts';
import { engineAt } from '../../cluster.ts';
import { requireData } from '../../control/process/check.ts';
import { ControlDatabase } from '../../control/database.ts';
import { priceOf } from '../../control/usage/price.ts';
import type { Actor, Organization, Suspension } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { ofOthers, PRIVATE_UMASK } from '../../base/files/private-files.ts';
import {
  defineCommand,
  type ArgumentsOf,
  type Command,
  type CommandSpec,
  type OptionTable,
  UsageError,
  flag,
  optional,
} from '../command.ts';
import { GLOBAL_OPTIONS, readGlobals } from '../client/global-options.ts';
import { RemoteHost } from './remote-host.ts';
import type { Terminal } from '../terminal.ts';
import type { CellColumn } from '../output/cell.ts';
import { renderTable, styleOf, type TableStyle } from '../output/table.ts';
import { counted, recordText, tableText, type TextRecord, type PrintedValue } from '../text.ts';
import { codeTold, SEND_AGAIN } from '../../shards/file/shard-file.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BUCKET_FORM, locationText, namesBucket, parseLocation } from '../../base/bucket-location.ts';

/** A command's result: `json` for `--json`, `text` for a pipe, and for a terminal unless there is `shown`. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** What a terminal shows, with the problems in it. */
  readonly shown?: (style: TableStyle) => string;
  /** For stderr, in every format. */
  readonly problems?: readonly string[];
}

/** Rows of a table for people. */
export interface ShownTable {
  readonly columns: readonly (string | CellColumn)[];
  readonly rows: readonly (readonly PrintedValue[])[];
  readonly footer?: readonly string[];
}

interface FolderSpec<O extends OptionTable> extends Omit<CommandSpec<O>, 'run'> {
  /** Whether it needs no data folder; by default it refuses where WINDLASS_CONTROL is set. */
  readonly onCluster?: boolean;
  /** Whether it also runs where a restore was interrupted; by default it refuses such a folder. */
  readonly whileRestoring?: boolean;
  /** `config.data` is the folder. Its status line is removed when it ends. */
  run(args: ArgumentsOf<O>, config: Config, terminal: Terminal): Promise<CommandResult>;
  /** The same on a host, with the same result; left out: it works on the machine of the service only. */
  remote?(args: ArgumentsOf<O>, host: RemoteHost, terminal: Terminal): Promise<CommandResult>;
}

interface ControlSpec<O extends OptionTable> extends Omit<CommandSpec<O>, 'run'>, Pick<FolderSpec<O>, 'remote'> {
  /** Whether it creates a missing data folder; by default it refuses. */
  readonly makes?: boolean;
  /** Whether it works on the folder, too, so that it refuses where WINDLASS_CONTROL is set. */
  readonly needsFolder?: boolean;
  run(args: ArgumentsOf<O>, control: ControlDatabase, config: Config, terminal: Terminal): Promise<CommandResult>;
}

/** Records as JSON, and as a table of these fields for people. */
export function tableOutcome(json: readonly TextRecord[], columns: ShownTable['columns']): CommandResult {
  return tableResult(json, {
    columns,
    rows: json.map((record) => columns.map((column) => record[nameOf(column)] ?? null)),
  });
}

/** JSON, and a table for people: in a pipe as it is, at a terminal within its width. */
export function tableResult(json: unknown, { columns, rows, footer = [] }: ShownTable): CommandResult {
  return {
    json,
    text: tableText(columns.map(nameOf), rows),
    shown: (style) => {
      const cells = rows.map((row) =>
        row.map((value) => (typeof value === 'object' && value !== null ? value.join(', ') : value)),
      );
      return renderTable({ columns: columns.map(columnOf), rows: cells, footer }, style);
    },
  };
}

const columnOf = (column: string | CellColumn): CellColumn =>
  typeof column === 'string' ? { name: column, whole: column === 'id' } : column;
const nameOf = (column: string | CellColumn): string => columnOf(column).name;

/** The actor in audit trail and tokens. */
export const BY_OPERATOR: Actor = { name: 'wl admin', ip: null };

/** Options of every command of `wl admin`. */
export const ADMIN_OPTIONS = {
  data: optional('Data folder (default: WINDLASS_DATA, then ./data)'),
  host: optional('Work on this host instead, by its operator API; the key is WINDLASS_OPERATOR_KEY or in the file WINDLASS_OPERATOR_KEY_FILE'),
  timeout: { type: 'string', default: GLOBAL_OPTIONS.timeout.default, requiresArg: true, describe: 'With --host: timeout of each request attempt' },
  json: flag('Print one JSON value'),
} as const satisfies OptionTable; // prettier-ignore

/** A command on a data folder, or with `--host` on a host. Exits with 1 if there are problems. */
export function folderCommand<const O extends OptionTable>(spec: FolderSpec<O>): Command {
  return defineCommand({
    ...spec,
    run: async (args, terminal) => {
      process.umask(PRIVATE_UMASK);
      const { json, text, shown, problems = [] } = await (args['host'] === undefined ? onFolder : onHost)(spec, args, terminal);
      const atTerminal = args['json'] !== true && terminal.stdout.isTTY === true ? shown : undefined;
      if (atTerminal === undefined) for (const problem of problems) terminal.say(`wl: ${problem}`);
      if (args['json'] === true) terminal.printJson(json);
      else terminal.print(atTerminal?.(styleOf(terminal.stdout, process.env, false)) ?? text);
      return problems.length > 0 ? 1 : 0;
    },
  }); // prettier-ignore
}

async function onFolder<O extends OptionTable>(
  spec: FolderSpec<O>,
  args: ArgumentsOf<O>,
  terminal: Terminal,
): Promise<CommandResult> {
  const config = readConfig(process.env, { data: typeof args['data'] === 'string' ? args['data'] : undefined });
  if (spec.onCluster !== true && config.control !== null) throw needsFolder();
  if (spec.whileRestoring !== true && isRestoring(config.data))
    throw new AppError('conflict', `a restore to ${config.data} was interrupted`, {
      hints: ['start the service or run `wl admin restore` again: either completes it'],
    });
  return spec
    .run(args, config, terminal)
    .catch((error: unknown) => {
      throw ofFolder(error, config.data);
    })
    .finally(() => {
      terminal.status('');
      warnOfRoot(config.data, terminal);
    });
}

async function onHost<O extends OptionTable>(
  spec: FolderSpec<O>,
  args: ArgumentsOf<O>,
  terminal: Terminal,
): Promise<CommandResult> {
  if (args['data'] !== undefined) throw new UsageError('--host and --data contradict each other');
  if (spec.remote === undefined)
    throw new UsageError('this command works only on the machine of the service, so without --host');
  using host = new RemoteHost(String(args['host']), readGlobals(args).timeout, terminal);
  return await spec.remote(args, host, terminal).finally(() => terminal.status(''));
}

/** What a service tells its clients when its disk fails, in words for whoever runs a command on the folder. */
function ofFolder(error: unknown, data: string): unknown {
  if (!(error instanceof AppError) || error.data.hints?.[0] !== SEND_AGAIN.hints[0]) return error;
  return new AppError(error.data.code, `the data in ${data} cannot be used${codeTold(error)}`, {
    hints: ['look at the free space of its disk, and at the permissions of the files'],
  });
}

/** Root can open everything, and leaves files that the account of the service cannot. */
function warnOfRoot(data: string, terminal: Terminal): void {
  if (process.getuid?.() !== 0 || !existsSync(data)) return;
  const [first, ...more] = ofOthers(data);
  if (first === undefined) return;
  terminal.say(
    `wl: ${first}${more.length > 0 ? ` and ${counted(more.length, 'other file')}` : ''} in ${data} belong to another account than the folder: the service may be unable to open them\n  run \`chown -R --reference=${data} ${data}\`, and \`wl admin\` as the account of the service (\`windlass-admin\` does)`,
  );
}

/** A command on the control database, which a server may also have open. */
export function controlCommand<const O extends OptionTable>(spec: ControlSpec<O>): Command {
  return folderCommand({
    ...spec,
    onCluster: spec.needsFolder !== true,
    run: async (args, config, terminal) => {
      const { data, secret, control: location } = config;
      if (spec.makes !== true && location === null) requireData(data);
      await using control = await ControlDatabase.open(data, {
        secret,
        price: priceOf(config),
        engine: engineAt(location),
      });
      return await spec.run(args, control, config, terminal);
    },
  });
}

/** Where ClickHouse is. Throws ConfigError if the settings do not say so. */
export function clickHouseOf({ store }: Config): ClickHouseLocation {
  if (store === null) throw new ConfigError('WINDLASS_STORE must be set: it says where ClickHouse is.');
  return store;
}

function needsFolder(): AppError {
  return new AppError('not_available', 'this command works on a data folder, but WINDLASS_CONTROL names a database', {
    hints: ['cluster/docs/scale.md says what to use instead; unset WINDLASS_CONTROL to work on a folder'],
  });
}

/** The id of the organization if these are the only one. Throws UsageError. */
export function onlyOf([first, second]: readonly Pick<Organization, 'id'>[]): string {
  if (first === undefined)
    throw new UsageError('there is no organization yet: create one with `wl admin org create NAME`');
  if (second !== undefined) {
    throw new UsageError('there are several organizations: choose one with --org (`wl admin org list` lists them)');
  }
  return first.id;
}

export const onlyOrganization = async (control: ControlDatabase): Promise<string> =>
  onlyOf(await control.organizations.list());

/** An organization or project that was suspended. */
export function suspendedText(
  { id, name }: Pick<Organization, 'id' | 'name'>,
  { what, reason }: Pick<Suspension, 'what' | 'reason'>,
): CommandResult {
  return { json: { id, name, suspended: { what, reason } }, text: recordText({ id, name, suspended: what, reason }) };
}

/** A backup target as given on a command line: an absolute path, or a bucket in its one canonical spelling. */
export function targetOf(text: string): string {
  if (!namesBucket(text)) return resolve(text);
  const location = parseLocation(text);
  if (location === null) throw new UsageError(`${text} does not name a bucket: write ${BUCKET_FORM}`);
  return locationText(location);
}
