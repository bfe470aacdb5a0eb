/** What the commands of `wl admin` share: they open a data folder's control database and print one value. */
import { isRestoring } from '../../backup/switch-over.ts';
import type { ClickHouseLocation } from '../../base/config/clickhouse-location.ts';
import { ConfigError } from '../../base/config/setting-source.ts';
import { readConfig, type Config } from '../../base/config/config.ts';
import { engineAt } from '../../cluster.ts';
import { requireData } from '../../control/process/check.ts';
import { ControlDatabase } from '../../control/database.ts';
import { priceOf } from '../../control/usage/price.ts';
import type { Actor } from '../../control/types.ts';
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
import type { Terminal } from '../terminal.ts';
import { counted, tableText, type TextRecord } from '../text.ts';
import { codeTold, SEND_AGAIN } from '../../shards/file/shard-file.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BUCKET_FORM, locationText, namesBucket, parseLocation } from '../../base/bucket-location.ts';

/** A command's result: `json` for `--json`, `text` for people. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** For stderr, in every format. */
  readonly problems?: readonly string[];
}

interface FolderSpec<O extends OptionTable> extends Omit<CommandSpec<O>, 'run'> {
  /** Whether it needs no data folder; by default it refuses where WINDLASS_CONTROL is set. */
  readonly onCluster?: boolean;
  /** Whether it also runs where a restore was interrupted; by default it refuses such a folder. */
  readonly whileRestoring?: boolean;
  /** `config.data` is the folder. Its status line is removed when it ends. */
  run(args: ArgumentsOf<O>, config: Config, terminal: Terminal): Promise<CommandResult>;
}

interface ControlSpec<O extends OptionTable> extends Omit<CommandSpec<O>, 'run'> {
  /** Whether it creates a missing data folder; by default it refuses. */
  readonly makes?: boolean;
  /** Whether it works on the folder, too, so that it refuses where WINDLASS_CONTROL is set. */
  readonly needsFolder?: boolean;
  run(args: ArgumentsOf<O>, control: ControlDatabase, config: Config, terminal: Terminal): Promise<CommandResult>;
}

/** Records as JSON, and as a table of these fields for people. */
export function tableOutcome(json: readonly TextRecord[], columns: readonly string[]): CommandResult {
  const rows = json.map((record) => columns.map((name) => record[name] ?? null));
  return { json, text: tableText(columns, rows) };
}

/** The actor in audit trail and tokens. */
export const BY_OPERATOR: Actor = { name: 'wl admin', ip: null };

/** Options of every command of `wl admin`. */
export const ADMIN_OPTIONS = {
  data: optional('Data folder (default: WINDLASS_DATA, then ./data)'),
  json: flag('Print one JSON value'),
} as const satisfies OptionTable;

/** A command on a data folder. Exits with 1 if there are problems. */
export function folderCommand<const O extends OptionTable>(spec: FolderSpec<O>): Command {
  return defineCommand({
    ...spec,
    run: async (args, terminal) => {
      process.umask(PRIVATE_UMASK);
      const config = readConfig(process.env, { data: typeof args['data'] === 'string' ? args['data'] : undefined });
      if (spec.onCluster !== true && config.control !== null) throw needsFolder();
      if (spec.whileRestoring !== true && isRestoring(config.data))
        throw new AppError('conflict', `a restore to ${config.data} was interrupted`, {
          hints: ['start the service or run `wl admin restore` again: either completes it'],
        });
      const outcome = await spec
        .run(args, config, terminal)
        .catch((error: unknown) => {
          throw ofFolder(error, config.data);
        })
        .finally(() => {
          terminal.status('');
          warnOfRoot(config.data, terminal);
        });
      const { json, text, problems = [] } = outcome;
      for (const problem of problems) terminal.say(`wl: ${problem}`);
      if (args['json'] === true) terminal.printJson(json);
      else terminal.print(text);
      return problems.length > 0 ? 1 : 0;
    },
  });
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

/** The id of the organization if there is only one. */
export async function onlyOrganization(control: ControlDatabase): Promise<string> {
  const [first, second] = await control.organizations.list();
  if (first === undefined)
    throw new UsageError('there is no organization yet: create one with `wl admin org create NAME`');
  if (second !== undefined) {
    throw new UsageError('there are several organizations: choose one with --org (`wl admin org list` lists them)');
  }
  return first.id;
}

/** A backup target as given on a command line: an absolute path, or a bucket in its one canonical spelling. */
export function targetOf(text: string): string {
  if (!namesBucket(text)) return resolve(text);
  const location = parseLocation(text);
  if (location === null) throw new UsageError(`${text} does not name a bucket: write ${BUCKET_FORM}`);
  return locationText(location);
}
