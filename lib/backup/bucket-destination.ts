/** A backup to a bucket: each finished, summed file is uploaded under its checksum, then deleted on this machine. */
import fs from 'node:fs';
import path from 'node:path';
import PQueue from 'p-queue';
import type { Bucket, Listed } from '../buckets/bucket.ts';
import { BucketLog } from '../erasures/bucket-log.ts';
import { AppError } from '../base/errors.ts';
import { backupsIn, fileKey, filesIn, manifestKey, prune, readBackup } from './bucket-series.ts';
import type { Destination } from './destination.ts';
import { manifestText, usable, type BackedUpFile, type Manifest } from './manifest.ts';
import { nextName, partialName, removePartials } from './series.ts';

/** Files sent at once: a small file costs the store's latency, not bandwidth. */
const AT_ONCE = 4;

interface BucketTask {
  readonly bucket: Bucket;
  /** The data folder, which holds the draft. */
  readonly data: string;
  readonly beganAt: number;
}

export class BucketDestination implements Destination {
  readonly draft: string;
  readonly previous: Manifest | null;
  readonly #task: BucketTask;
  /** Its name in the bucket. */
  readonly #time: string;
  /** The files already there, by key. */
  readonly #there: ReadonlyMap<string, Listed>;
  readonly #sending = new PQueue({ concurrency: AT_ONCE });
  /** Error of the first file that could not be sent. */
  #failure: { readonly error: unknown } | null = null;

  private constructor(task: BucketTask, time: string, previous: Manifest | null, there: ReadonlyMap<string, Listed>) {
    this.#task = task;
    this.#time = time;
    this.previous = previous;
    this.#there = there;
    const beside = path.join(task.data, 'backup');
    removePartials(beside);
    this.draft = partialName(beside);
    fs.rmSync(this.draft, { recursive: true, force: true });
  }

  /** Rejects with AppError when the store is unreachable or refuses. */
  static async open(task: BucketTask): Promise<BucketDestination> {
    const { bucket } = task;
    const last = (await backupsIn(bucket)).at(-1);
    const previous = last === undefined ? null : await usable(() => readBackup(bucket, last));
    return new BucketDestination(task, nextName(last?.name ?? null, task.beganAt), previous, await filesIn(bucket));
  }

  get name(): string {
    return `${this.#task.bucket.name}/${this.#time}`;
  }

  /** Reads nothing: the store confirmed the checksum when the file was written. */
  takeOver(known: BackedUpFile): boolean {
    return this.#there.get(fileKey(known))?.bytes === known.bytes;
  }

  async store(file: BackedUpFile): Promise<void> {
    void this.#sending.add(() => this.#send(file));
    await this.#sending.onSizeLessThan(1);
    this.#throwFailure();
  }

  async commit(manifest: Manifest): Promise<void> {
    await this.#sending.onIdle();
    this.#throwFailure();
    const there = await filesIn(this.#task.bucket);
    const lost = manifest.files.find((file) => there.get(fileKey(file))?.bytes !== file.bytes);
    if (lost !== undefined) throw this.#lost(lost);
    await this.#task.bucket.write(manifestKey(this.#time), Buffer.from(manifestText(manifest)));
  }

  prune(keep: number): Promise<readonly string[]> {
    return prune(this.#task.bucket, keep);
  }

  bringLog(log: Buffer): Promise<void> {
    return new BucketLog(this.#task.bucket).bring(log);
  }

  [Symbol.dispose](): void {
    this.#sending.clear();
    fs.rmSync(this.draft, { recursive: true, force: true });
  }

  /** Never rejects. */
  async #send(file: BackedUpFile): Promise<void> {
    if (this.#failure !== null) return;
    const from = path.join(this.draft, file.path);
    try {
      if (!this.takeOver(file)) await this.#task.bucket.upload(fileKey(file), from);
      fs.rmSync(from, { force: true });
    } catch (error) {
      this.#failure = { error };
    }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #lost({ path: name }: BackedUpFile): AppError {
    return new AppError('storage_unavailable', `${this.#task.bucket.name} did not store ${name} as it was sent`, {
      hints: ['make the backup again; see that nothing else removes objects there, and that no rule of the store does'],
    });
  }
}
