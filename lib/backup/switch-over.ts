/**
 * The switch from the old data to a restored folder. That folder is in the data folder, which may be a mount that cannot be
 * renamed; its name says how far the restore is:
 *
 *     restore.partial          being copied: a crash leaves the old data, which is served
 *     restore.ready-<time>     complete. Once it has this name, the new data counts; the old is moved to replaced-<time>
 *     restore.moving-<time>    the old data is out of the way, and the new is moved into place
 *
 * Every step can be repeated, so the next command (`wl serve`, `wl admin restore`) finishes what a crash interrupted.
 */
import { makeFolderOnDisk } from '../base/files/make-folders.ts';
import fs from 'node:fs';
import path from 'node:path';
import { CONTROL_FILE, SECRET_FILE } from '../control/database.ts';
import { ERASURE_LOG } from '../erasures/log-file.ts';
import { SCRIPTS_FOLDER } from '../base/files/private-files.ts';
import { syncPath } from '../base/files/sync-path.ts';

export const PARTIAL = 'restore.partial';
const READY = 'restore.ready-';
const MOVING = 'restore.moving-';
const REPLACED = 'replaced-';

/** What a restore replaces. Not the lock, whose holder stays, nor the salt of the day, which must never be copied. */
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

/** Puts a complete `restore.partial` in force: a crash before leaves the old data, one after it the new. */
export function commitRestore(data: string, time: string): void {
  syncPath(path.join(data, PARTIAL));
  fs.renameSync(path.join(data, PARTIAL), path.join(data, READY + time));
  syncPath(data);
}

/** The path of an incomplete restore, if there is one. */
export const halfRestore = (data: string): string[] =>
  fs.existsSync(path.join(data, PARTIAL)) ? [path.join(data, PARTIAL)] : [];

/** Whether a restore is in force but unfinished. */
export function isRestoring(data: string): boolean {
  return fs.existsSync(data) && (find(data, READY) ?? find(data, MOVING)) !== null;
}

/**
 * Finishes a restore that is in force, and removes an incomplete one. The caller holds the lock of the folder. Returns where the
 * former data is now; null: nothing was replaced.
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
    makeFolderOnDisk(replaced);
    fs.renameSync(path.join(data, name), path.join(replaced, name));
  }
  if (fs.existsSync(replaced)) syncPath(replaced);
  fs.renameSync(path.join(data, ready), path.join(data, MOVING + time));
  syncPath(data);
}

const find = (data: string, prefix: string): string | null =>
  fs.readdirSync(data).find((name) => name.startsWith(prefix)) ?? null;
