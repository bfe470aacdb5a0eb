/** A backup that is being made. Its files are made one after the other in a local folder, the draft, and stored under their sums. */
import { DAY_MS } from '../base/day.ts';
import fs from 'node:fs';
import path from 'node:path';
import PQueue from 'p-queue';
import { AppError, codeOf, isOfDisk } from '../base/errors.ts';
import { makeFolderOnDisk } from '../base/files/make-folders.ts';
import { namesIn } from '../base/files/names-in.ts';
import { isPartial, PartialFolder, removeAbandonedPartials, removePartials } from '../base/files/partial-folder.ts';
import type { Listed } from '../buckets/object-store.ts';
import { beginLog, bytesOfLines, ERASURE_LOG, readLog } from '../erasures/log-file.ts';
import { nextName, type FinishedBackup } from './finished-backup.ts';
import { manifestText, usable, type BackedUpFile, type Manifest } from './manifest.ts';
import { backupsAt, fileKey, filesIn, manifestKey, prune, sweep, type BackupTarget } from './series.ts';
import { sumOfFile } from './whole-file.ts';

/** What drafts are named after. */
const DRAFT = 'backup';

interface Place {
  readonly target: BackupTarget;
  /** The data folder; it has the draft where the target is a bucket. */
  readonly data: string;
  readonly beganAt: number;
}

interface Found {
  readonly draft: PartialFolder;
  /** All that were there when this one began. */
  readonly earlier: readonly FinishedBackup[];
  /** Manifest of the last of them, whose files may be reused; null: it cannot be read, or there is none. */
  readonly previous: Manifest | null;
  /** The files already there, by key. */
  readonly there: ReadonlyMap<string, Listed>;
}

export class Destination implements AsyncDisposable {
  readonly previous: Found['previous'];
  readonly #place: Place;
  readonly #draft: Found['draft'];
  readonly #earlier: Found['earlier'];
  readonly #there: Found['there'];
  /** Files sent at once: a small file costs the store's latency, not bandwidth. */
  readonly #sending = new PQueue({ concurrency: 4 });
  /** Error of the first file that could not be sent. */
  #failure: { readonly error: unknown } | null = null;
  #exists = false;

  private constructor({ draft, earlier, previous, there, ...place }: Place & Found) {
    this.#place = place;
    this.#draft = draft;
    this.#earlier = earlier;
    this.previous = previous;
    this.#there = there;
  }

  /** Rejects with AppError when the target is unreachable or refuses. Removes what killed backups have left. */
  static async open(place: Place): Promise<Destination> {
    const { target, data } = place;
    if (target.folder === null) removeAbandonedPartials(data, DRAFT);
    else removePartials(target.folder);
    const draft = makeDraft(path.join(target.folder ?? data, DRAFT)); // first, for whoever prunes meanwhile
    try {
      const earlier = await backupsAt(target);
      const last = earlier.at(-1);
      const previous = last === undefined ? null : await usable(() => last.manifest());
      return new Destination({ ...place, draft, earlier, previous, there: await filesIn(target.store) });
    } catch (error) {
      draft[Symbol.dispose]();
      throw error;
    }
  }

  /** The draft folder; its disk must have room. */
  get draft(): string {
    return this.#draft.path;
  }

  /** Name of the finished backup, for people and for a restore. */
  get name(): string {
    return `${this.#place.target.store.name}/${this.#time}`;
  }

  get #time(): string {
    return nextName(this.#earlier.at(-1)?.time ?? '', this.#place.beganAt);
  }

  /** Whether a file of the earlier backup is there for this one, judged by its length: the next restore reads it. */
  has(known: BackedUpFile): boolean {
    return this.#there.get(fileKey(known))?.bytes === known.bytes;
  }

  /** Takes a file over of which there is no other copy, and reads it first. False: it is missing or has changed. */
  async takeOver(known: BackedUpFile): Promise<boolean> {
    const to = path.join(this.draft, known.path);
    const isGood = (await this.#earlier.at(-1)?.fetch(known, to)) === true && sumOfFile(to).sha256 === known.sha256;
    if (isGood) await this.store(known);
    else fs.rmSync(to, { force: true });
    return isGood;
  }

  /** Stores a file that is in the draft, synced and summed, and removes it there. Resolves when the next may be made. */
  async store(file: BackedUpFile): Promise<void> {
    void this.#sending.add(() => this.#send(file));
    await this.#sending.onSizeLessThan(1);
    this.#throwFailure();
  }

  /** Once this resolves, the backup exists. */
  async commit(manifest: Manifest): Promise<void> {
    const { store, folder } = this.#place.target;
    await this.#sending.onIdle();
    this.#throwFailure();
    if (folder !== null) beginLog(path.join(folder, ERASURE_LOG)); // its presence marks this as the right folder
    await this.bringLog();
    const there = await filesIn(store);
    const lost = manifest.files.find((file) => there.get(fileKey(file))?.bytes !== file.bytes);
    if (lost !== undefined) throw this.#lost(lost);
    const file = path.join(this.draft, 'manifest');
    fs.writeFileSync(file, manifestText(manifest), { mode: 0o600, flush: true });
    await store.put(manifestKey(this.#time), file);
    this.#exists = true;
  }

  /**
   * Removes all but the newest `keep` backups, and files that no backup uses. Returns the names of the removed backups. null: a bucket
   * keeps all, and a folder as many as it had, so that one backup is updated.
   */
  async prune(keep: number | null): Promise<readonly string[]> {
    const { target } = this.#place;
    if (keep === null && target.folder === null) return [];
    const gone = await prune(target, keep ?? Math.max(1, this.#earlier.length));
    await this.#sweep();
    return gone;
  }

  /** Brings the log of erasures there: what it has must not come back with this backup. */
  async bringLog(): Promise<void> {
    const { data, target } = this.#place;
    await target.log.bring(bytesOfLines(readLog(path.join(data, ERASURE_LOG)).lines));
  }

  /** Removes whatever is half done. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#sending.clear();
    this.#draft[Symbol.dispose]();
    if (this.#exists || this.#place.target.folder === null) return;
    await this.#sweep().catch(() => undefined); // what made the backup fail is thrown; the next one sweeps again
  }

  /** In a folder, another backup that is being made may need what no backup uses; in a bucket, nobody knows whether there is one. */
  async #sweep(): Promise<void> {
    const { target } = this.#place;
    // How long a file of no backup is kept in a bucket, as it may belong to a backup being made.
    if (target.folder === null) return sweep(target, DAY_MS);
    const others = namesIn(target.folder).filter((name) => isPartial(name) && name !== path.basename(this.draft));
    if (others.length === 0) await sweep(target, 0);
  }

  /** Never rejects. */
  async #send(file: BackedUpFile): Promise<void> {
    if (this.#failure !== null) return;
    const from = path.join(this.draft, file.path);
    try {
      if (!this.has(file)) await this.#place.target.store.put(fileKey(file), from);
      fs.rmSync(from, { force: true });
    } catch (error) {
      this.#failure = { error };
    }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #lost({ path: name }: BackedUpFile): AppError {
    const { store } = this.#place.target;
    return new AppError('storage_unavailable', `${store.name} did not store ${name} as it was sent`, {
      hints: ['make the backup again; see that nothing else removes files there, and that no rule of the store does'],
    });
  }
}

/** Throws AppError if the disk does not let it. */
function makeDraft(of: string): PartialFolder {
  try {
    makeFolderOnDisk(path.dirname(of));
    return PartialFolder.make(of);
  } catch (error) {
    throw isOfDisk(error) ? cannotBeWritten(path.dirname(of), error) : error;
  }
}

/** @param folder The one around the draft. */
export const cannotBeWritten = (folder: string, error: unknown): AppError =>
  new AppError('storage_unavailable', `the backup cannot be written to ${folder} (${codeOf(error)})`, {
    hints: ['look at its free space and permissions; earlier backups are as they were'],
  });
