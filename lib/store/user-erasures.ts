/**
 * Erasures of users and events. A crash or a failing disk may leave bytes of one in a project's files: they are removed after the next start, or
 * a minute later.
 */
import fs from 'node:fs';
import path from 'node:path';
import { AppError } from '../base/errors.ts';
import { threshold } from '../base/threshold.ts';
import type { Erased } from '../shards/erase/erase.ts';
import type { Erasable, ToErase } from '../shards/erase/erase-shard.ts';
import { Eraser } from '../shards/erase/eraser.ts';
import { erasingIn, forgetErasing, noteErasing } from '../shards/file/erasing.ts';
import { shardPath, shardError } from '../shards/file/shard-file.ts';
import type { Snapshot } from '../shards/shard-reader.ts';

const RETRY = threshold('milliseconds until an erasure is finished again', 60_000, { least: 10 });

export interface UserErasuresOptions {
  /** The data folder. */
  readonly folder: string;
  /** Runs what erases from a project's file, which nothing else has open then, and removes the project's records from the journal. */
  readonly frozen: <T>(project: string, use: (snapshot: Snapshot) => Promise<T>) => Promise<T>;
  readonly onTrouble: (error: unknown, what: string) => void;
}

export class UserErasures {
  readonly #options: UserErasuresOptions;
  readonly #eraser = new Eraser();
  /** Projects whose files may have bytes of an erased user. */
  readonly #unfinished: Set<string>;
  readonly #timer: NodeJS.Timeout;
  #finishing = false;
  #closed = false;

  constructor(options: UserErasuresOptions) {
    this.#options = options;
    this.#unfinished = new Set(erasingIn(path.join(options.folder, 'shards')));
    this.#timer = setInterval(() => void this.finish(), RETRY.value).unref();
  }

  /** @param before Called at the last moment before anything is erased: if it throws, nothing is. */
  async erase(project: string, userId: string, before?: (toErase: ToErase) => unknown): Promise<Erased> {
    return this.#erase(project, { userId }, async (snapshot) => {
      await before?.(await this.#eraser.lookUp(snapshot, userId));
    });
  }

  /** @param before The same; it gets what the file has by then. */
  eraseEvents(project: string, arrivals: readonly string[], before: (snapshot: Snapshot) => unknown): Promise<Erased> {
    return this.#erase(project, { arrivals }, before);
  }

  async #erase(project: string, what: Erasable, before: (snapshot: Snapshot) => unknown): Promise<Erased> {
    const erased = await this.#options.frozen(project, async (snapshot) => {
      await before(snapshot);
      this.#begin(project);
      return this.#eraser.erase(snapshot, what);
    });
    this.#end(project);
    return erased;
  }

  /** Finishes what an earlier run, or a disk, has left: one project at a time, since nobody waits for it. Never rejects. */
  async finish(): Promise<void> {
    if (this.#finishing) return;
    this.#finishing = true;
    for (const project of [...this.#unfinished]) if (!this.#closed) await this.#finish(project);
    this.#finishing = false;
  }

  close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    return this.#eraser.close();
  }

  /** On disk when it returns. */
  #begin(project: string): void {
    try {
      noteErasing(this.#fileOf(project));
    } catch (error) {
      throw shardError(error) ?? error;
    }
    this.#unfinished.add(project);
  }

  #end(project: string): void {
    forgetErasing(this.#fileOf(project));
    this.#unfinished.delete(project);
  }

  async #finish(project: string): Promise<void> {
    try {
      if (fs.existsSync(this.#fileOf(project)))
        await this.#options.frozen(project, async ({ file }) => {
          if (this.#unfinished.has(project)) await this.#eraser.finish(file); // else an erasure has just done it
        });
      this.#end(project);
    } catch (error) {
      if (this.#closed) return;
      this.#options.onTrouble(error, 'bytes of what was erased could not be removed yet');
      const mayPass = error instanceof AppError && error.data.code === 'storage_unavailable';
      if (!mayPass) this.#unfinished.delete(project); // the next start tries again
    }
  }

  #fileOf(project: string): string {
    return shardPath(this.#options.folder, project);
  }
}
