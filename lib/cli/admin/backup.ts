import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeBackup } from '../../backup/make.ts';
import { isBackup, type DamagedShard } from '../../backup/manifest.ts';
import { backupName, backupsIn, isFree, partialName, prune, removePartials } from '../../backup/series.ts';
import { syncPath } from '../../backup/whole-file.ts';
import { checkControl } from '../../control/check.ts';
import { ControlDatabase } from '../../control/database.ts';
import { beginLog, ERASURE_LOG, readLog } from '../../erasures/log-file.ts';
import { bringTo } from '../../erasures/target-file.ts';
import { UsageError } from '../command.ts';
import { folderCommand, type DataFolder, type Outcome } from './admin-command.ts';
import { wholeNumber } from './number-or-none.ts';

export const backup = folderCommand({
  usage: 'backup <dir>',
  summary: 'Copy the data folder, beside a running service or without one; what has not changed is not copied again',
  examples: [
    ['wl admin backup /backup/windlass', 'one backup, brought up to date whenever it is made again'],
    ['wl admin backup /backup/windlass --keep 7', 'a folder of backups by time, of which the newest seven stay'],
    ['wl admin backup /backup/old --forget', 'that folder is gone: erasures need not be written there any more'],
  ],
  options: {
    dir: { type: 'string', demandOption: true, describe: 'Folder of the backup, or of backups; made when missing' },
    forget: {
      type: 'boolean',
      default: false,
      describe: 'Make no backup: the folder is none of this data any more, and erasures are not written there',
    },
    keep: { type: 'string', requiresArg: true, describe: 'Backups that stay in the folder, each named by its time' },
  },
  completes: { dir: 'file' },
  run: async ({ dir, keep, forget }, folder, terminal) => {
    const { path, secret } = folder;
    checkControl(path);
    if (forget) return forgetTarget(folder, resolve(dir));
    inControl(folder, (control) => control.operator.backupTargets.checkRoom(realpathSync(path), resolve(dir)));
    const beganAt = Date.now();
    const place = placeOf(resolve(dir), keep === undefined ? null : atLeastOne(keep), beganAt);
    const draft = partialName(place.target);
    mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
    rmSync(draft, { recursive: true, force: true });
    const onShard = (done: number, of: number): void => terminal.status(`${done} of ${of} projects`);
    try {
      const made = await makeBackup({ data: path, secret, draft, previous: place.previous, beganAt, onShard });
      putInPlace(draft, place.target);
      await note(folder, resolve(dir), made.damaged.length);
      const removed = place.keep === null ? [] : prune(resolve(dir), place.keep);
      removePartials(resolve(dir));
      const text = `${place.target}: ${made.projects} projects, ${made.copied} of them copied, ${made.bytes} bytes written`;
      return { json: { backup: place.target, ...made, removed }, text, problems: made.damaged.map(problemText) };
    } finally {
      terminal.status('');
      rmSync(draft, { recursive: true, force: true });
    }
  },
});

interface Place {
  readonly target: string;
  /** Whose unchanged files are taken over. */
  readonly previous: string | null;
  /** null: all. */
  readonly keep: number | null;
}

/** A folder is one backup or a folder of backups, as it was begun. */
function placeOf(dir: string, keep: number | null, beganAt: number): Place {
  if (isBackup(dir)) {
    if (keep !== null) throw new UsageError(`${dir} is one backup: --keep needs another folder`);
    return { target: dir, previous: dir, keep };
  }
  if (!isFree(dir)) throw new UsageError(`${dir} is not empty, and no backup`);
  const before = backupsIn(dir);
  if (keep === null && before.length === 0) return { target: dir, previous: null, keep };
  return { target: join(dir, backupName(beganAt)), previous: before.at(-1) ?? null, keep };
}

/** What has the name of a backup is whole. An earlier one of the same name goes when the new one is there. */
function putInPlace(draft: string, target: string): void {
  const old = `${draft}-old`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(draft, target);
  syncPath(dirname(target));
  rmSync(old, { recursive: true, force: true });
}

/** For the metric of its age; and from now on erasures are written there. Those of a moment ago are brought there now. */
async function note(folder: DataFolder, dir: string, damaged: number): Promise<void> {
  const logAt = join(dir, ERASURE_LOG);
  beginLog(logAt);
  inControl(folder, ({ operator }) => {
    operator.noteBackup(damaged);
    operator.backupTargets.add(realpathSync(folder.path), dir);
  });
  const { lines } = readLog(join(folder.path, ERASURE_LOG));
  const log = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  await bringTo(logAt, log, null);
}

function problemText({ project, problem, as_of: asOf }: DamagedShard): string {
  const kept = asOf === null ? 'no earlier copy of it is there' : `its copy of ${asOf} is kept`;
  return `project ${project} is damaged and was not copied, all others were; ${kept} (${problem}). Run \`wl admin check\`, then restore the project from a backup, or delete it`;
}

function forgetTarget(folder: DataFolder, dir: string): Outcome {
  const known = inControl(folder, ({ operator }) => operator.backupTargets.remove(realpathSync(folder.path), dir));
  if (!known) throw new UsageError(`no backup of ${folder.path} was made to ${dir}`);
  return { json: { forgotten: dir }, text: `${dir}: erasures are not written there any more` };
}

function inControl<T>({ path, secret }: DataFolder, use: (control: ControlDatabase) => T): T {
  const control = ControlDatabase.open(path, { secret });
  try {
    return use(control);
  } finally {
    control.close();
  }
}

function atLeastOne(keep: string): number {
  const number = wholeNumber('keep', keep);
  if (number < 1) throw new UsageError('--keep takes a number from 1');
  return number;
}
