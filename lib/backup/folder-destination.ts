/** A backup to a folder: the draft gets its name once complete. Unchanged files are hard links to those of the last backup. */
import fs from 'node:fs';
import path from 'node:path';
import { beginLog, ERASURE_LOG, readLog, unionOf, writeLog } from '../erasures/log-file.ts';
import { TargetFile } from '../erasures/target-file.ts';
import type { Destination } from './destination.ts';
import { MANIFEST_FILE, manifestText, readManifest, usable, type BackedUpFile, type Manifest } from './manifest.ts';
import { partialName, prune, removePartials } from './series.ts';
import { copyToDisk, sumOfFile } from './whole-file.ts';
import { codeOf } from '../base/errors.ts';
import { syncPath } from '../base/files/sync-path.ts';

interface FolderTask {
  /** The data folder. */
  readonly data: string;
  /** A backup, or a folder of backups. */
  readonly dir: string;
  /** The folder that becomes the backup. */
  readonly target: string;
  /** Path of an earlier complete backup; null: there is none. */
  readonly previous: string | null;
}

export class FolderDestination implements Destination {
  readonly draft: string;
  readonly previous: Manifest | null;
  readonly #task: FolderTask;

  private constructor(task: FolderTask, previous: Manifest | null) {
    this.#task = task;
    this.previous = previous;
    this.draft = partialName(task.target);
    fs.mkdirSync(path.dirname(this.draft), { recursive: true, mode: 0o700 });
    fs.rmSync(this.draft, { recursive: true, force: true });
  }

  static async open(task: FolderTask): Promise<FolderDestination> {
    const { previous } = task;
    return new FolderDestination(task, previous === null ? null : await usable(() => readManifest(previous)));
  }

  get name(): string {
    return this.#task.target;
  }

  get #log(): string {
    return path.join(this.#task.dir, ERASURE_LOG);
  }

  takeOver(known: BackedUpFile, checked: boolean): boolean {
    const { previous } = this.#task;
    if (previous === null) return false;
    const [from, to] = [path.join(previous, known.path), path.join(this.draft, known.path)];
    if (fs.statSync(from, { throwIfNoEntry: false })?.size !== known.bytes) return false;
    if (checked && sumOfFile(from).sha256 !== known.sha256) return false;
    if (link(from, to)) return true;
    if (checked) copyToDisk(from, to);
    return checked;
  }

  store(): Promise<void> {
    return Promise.resolve(); // already in place
  }

  commit(manifest: Manifest): Promise<void> {
    this.#keepLog();
    fs.writeFileSync(path.join(this.draft, MANIFEST_FILE), manifestText(manifest), { mode: 0o600, flush: true });
    const folders = manifest.files.map((file) => path.dirname(file.path));
    for (const folder of new Set([...folders, 'shards', 'journal', '.'])) syncPath(path.join(this.draft, folder));
    putInPlace(this.draft, this.#task.target);
    beginLog(this.#log); // its presence marks this as the right folder
    removePartials(this.#task.dir);
    return Promise.resolve();
  }

  prune(keep: number): Promise<readonly string[]> {
    return Promise.resolve(prune(this.#task.dir, keep));
  }

  bringLog(log: Buffer): Promise<void> {
    return new TargetFile(this.#log).bring(log);
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.draft, { recursive: true, force: true });
  }

  /** Includes the log of the earlier backup. The manifest does not list the log, since it grows at a target. */
  #keepLog(): void {
    const { data, previous } = this.#task;
    const places = previous === null ? [data] : [data, previous];
    const { lines } = unionOf(places.map((place) => readLog(path.join(place, ERASURE_LOG))));
    writeLog(path.join(this.draft, ERASURE_LOG), lines);
  }
}

/** Gives a file a second name. False: the disk does not support that. */
function link(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if (/^E(?:PERM|NOTSUP|OPNOTSUPP|MLINK|XDEV)$/.test(codeOf(error))) return false;
    throw error;
  }
}

/** Only a complete backup has a backup's name. Removes an earlier one of that name once the new one is there. */
function putInPlace(draft: string, target: string): void {
  const old = `${draft}-old`;
  if (fs.existsSync(target)) fs.renameSync(target, old);
  fs.renameSync(draft, target);
  syncPath(path.dirname(target));
  fs.rmSync(old, { recursive: true, force: true });
}
