import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { Destination } from '../../../backup/destination.ts';
import { makeBackup } from '../../../backup/make.ts';
import type { DamagedShard } from '../../../backup/manifest.ts';
import { isFree, openTarget } from '../../../backup/series.ts';
import { bucketAccess } from '../../../buckets/access.ts';
import { checkControl } from '../../../control/process/check.ts';
import { ControlDatabase } from '../../../control/database.ts';
import { SCRIPTS_FOLDER } from '../../../base/files/private-files.ts';
import { UsageError, wholeNumber, flag, optional, positional } from '../../command.ts';
import type { Config } from '../../../base/config/config.ts';
import { folderCommand, type CommandResult, targetOf } from '../admin-command.ts';
import { counted } from '../../text.ts';

export const backup = folderCommand({
  usage: 'backup <dir>',
  summary: 'Back up the data folder, with the service running or stopped; copies only what has changed',
  examples: [
    ['wl admin backup /backup/windlass', 'one backup, updated each time you run it'],
    ['wl admin backup /backup/windlass --keep 7', 'makes a backup named by time, keeps the newest seven'],
    ['wl admin backup s3://backups/windlass --keep 7', 'the same, in an S3-compatible bucket'],
    ['wl admin backup /backup/old --forget', 'that folder is gone: stop writing erasures there'],
  ],
  options: {
    dir: positional('Folder of the backup or backups, created if missing; or a bucket'),
    forget: flag(
      'Make no backup: the folder or bucket no longer belongs to this data folder, and erasures are not written there',
    ),
    keep: optional('Number of backups to keep in the folder, each named by its time'),
  },
  completes: { dir: 'file' },
  run: async ({ dir, keep, forget }, config, terminal) => {
    const { data, secret } = config;
    const target = targetOf(dir);
    checkControl(data);
    refuseOwnFolder(data, target);
    if (forget) return forgetTarget(config, target);
    await inControl(config, (control) => control.operator.backupTargets.checkRoom(realpathSync(data), target));
    const stay = keep === undefined ? null : atLeastOne(keep);
    const beganAt = Date.now();
    const onShard = (done: number, of: number): void => terminal.status(`${done} of ${of} projects`);
    const at = openTarget(target, bucketAccess(config));
    if (at.folder !== null && !isFree(target)) throw new UsageError(`${target} is not empty and not a backup`);
    await using destination = await Destination.open({ target: at, data, beganAt });
    const made = await makeBackup({ data, secret, destination, beganAt, onShard });
    await note(config, target, destination, made.damaged.length);
    const removed = await destination.prune(stay);
    const { name } = destination;
    const text = `${name}: events of ${counted(made.projects, 'project')}, ${counted(made.copied, 'shard')} copied, ${counted(made.bytes, 'byte')} written`;
    return { json: { backup: name, ...made, removed }, text, problems: made.damaged.map(problemText) };
  },
});

/** Folders in a data folder whose content is the service's alone. Without a project, they are empty and look free. */
const OWN_FOLDERS: readonly string[] = ['journal', 'shards', SCRIPTS_FOLDER];

function refuseOwnFolder(data: string, target: string): void {
  const isOwn = (folder: string): boolean => OWN_FOLDERS.includes(relative(folder, target).split(sep)[0] ?? '');
  if (!isOwn(data) && !isOwn(realpathSync(data))) return;
  throw new UsageError(`${target} is where the service keeps its own files: back up to another folder`);
}

/** Notes a backup for the metric of its age; from now on erasures are written there too. Recent ones are copied there now. */
async function note(config: Config, target: string, destination: Destination, damaged: number): Promise<void> {
  await inControl(config, async ({ operator }) => {
    await operator.noteBackup(damaged);
    await operator.backupTargets.add(realpathSync(config.data), target);
  });
  await destination.bringLog();
}

function problemText({ project, problem, as_of: asOf }: DamagedShard): string {
  const kept = asOf === null ? 'no earlier copy of it is there' : `its copy of ${asOf} is kept`;
  return `project ${project} is damaged and was not copied, all others were; ${kept} (${problem}). Run \`wl admin check\`, then restore the project from a backup, or delete it`;
}

async function forgetTarget(config: Config, dir: string): Promise<CommandResult> {
  const known = await inControl(config, ({ operator }) =>
    operator.backupTargets.remove(realpathSync(config.data), dir),
  );
  if (!known) throw new UsageError(`${config.data} was never backed up to ${dir}`);
  return { json: { forgotten: dir }, text: `${dir}: erasures are no longer written there` };
}

async function inControl<T>({ data, secret }: Config, use: (control: ControlDatabase) => T | Promise<T>): Promise<T> {
  await using control = await ControlDatabase.open(data, { secret });
  return await use(control);
}

function atLeastOne(keep: string): number {
  const number = wholeNumber('keep', keep);
  if (number < 1) throw new UsageError('--keep must be a number of 1 or more');
  return number;
}
