/**
 * The moment at which a restored folder takes the place of the data. What is restored lies in the data folder itself, as that may be
 * a mount that cannot be renamed, under a name that says how far it is:
 *
 *     restore.partial          being copied: a crash leaves the old data, which is served
 *     restore.ready-<time>     whole. From the rename to this name on the new data counts; the old is moved to replaced-<time>
 *     restore.moving-<time>    the old data is out of the way, and the new is moved to its place
 *
 * Every step can be done again, so whoever comes next (`wl serve`, `wl admin restore`) ends what a crash cut off.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CONTROL_FILE } from '../control/database.ts';
import { SECRET_FILE } from '../control/storage/secret-file.ts';
import { ERASURE_LOG } from '../erasures/log-file.ts';
import { SCRIPTS_FOLDER } from '../base/files/scripts-folder.ts';
import { syncPath } from '../base/files/sync-path.ts';

export const PARTIAL = 'restore.partial';
const READY = 'restore.ready-';
const MOVING = 'restore.moving-';
const REPLACED = 'replaced-';

/** What a restore replaces. Not the lock, whose holder stays, nor the salt of the day, of which there must be no copy. */
const REPLACES = [
  CONTROL_FILE,
  `${CONTROL_FILE}-wal`,
  `${CONTROL_FILE}-shm`,
  SECRET_FILE,
  ERASURE_LOG,
  'journal',
  'shards',
  SCRIPTS_FOLDER,
];

/** Makes a whole `restore.partial` count: a crash before leaves the old data, one after it the new. */
export function commitRestore(data: string, time: string): void {
  syncPath(path.join(data, PARTIAL));
  fs.renameSync(path.join(data, PARTIAL), path.join(data, READY + time));
  syncPath(data);
}

/** Whether a restore counts and is not done. */
export function isRestoring(data: string): boolean {
  return fs.existsSync(data) && (find(data, READY) ?? find(data, MOVING)) !== null;
}

/**
 * Ends a restore that counts, and removes one that was never whole. Whoever calls it holds the lock of the folder. Answers where
 * the former data is now; null: nothing was replaced.
 */
export function finishRestore(data: string): string | null {
  fs.rmSync(path.join(data, PARTIAL), { recursive: true, force: true });
  const ready = find(data, READY);
  if (ready !== null) moveAway(data, ready);
  const moving = find(data, MOVING);
  if (moving === null) return null;
  const from = path.join(data, moving);
  for (const name of fs.readdirSync(from)) fs.renameSync(path.join(from, name), path.join(data, name));
  syncPath(data);
  fs.rmdirSync(from);
  const replaced = path.join(data, REPLACED + moving.slice(MOVING.length));
  return fs.existsSync(replaced) ? replaced : null;
}

function moveAway(data: string, ready: string): void {
  const time = ready.slice(READY.length);
  const replaced = path.join(data, REPLACED + time);
  for (const name of REPLACES) {
    if (!fs.existsSync(path.join(data, name))) continue;
    fs.mkdirSync(replaced, { recursive: true, mode: 0o700 });
    fs.renameSync(path.join(data, name), path.join(replaced, name));
  }
  fs.renameSync(path.join(data, ready), path.join(data, MOVING + time));
  syncPath(data);
}

const find = (data: string, prefix: string): string | null =>
  fs.readdirSync(data).find((name) => name.startsWith(prefix)) ?? null;
