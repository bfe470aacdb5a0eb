/**
 * Whether the disk takes events: not from a request that it has failed until one is stored, or a file of this class is. A balancer
 * sends nothing to an instance that is not ready, so it cannot be left to requests to show that there is room again. Where the disk
 * has failed a file of one project, it is tried at once: if it takes another file, all other projects are served.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { threshold } from '../base/threshold.ts';
import type { AppError } from '../base/errors.ts';

/** Milliseconds between two tries. */
const EVERY = threshold('milliseconds between two tries of a disk', 5_000, { least: 10 });

/** Projects that the operator is told of once. */
const MOST_TOLD = 1_000;

/** The room that a try asks for, bytes: an ordinary request needs less. */
const ROOM = 1 << 20;

export interface DiskTroubleOptions {
  /** The data folder. */
  readonly folder: string;
  readonly onTrouble: (error: unknown, what: string, project: string) => void;
}

export class DiskTrouble {
  readonly #options: DiskTroubleOptions;
  #error: AppError | null = null;
  #timer: NodeJS.Timeout | null = null;
  #trying = false;
  #closed = false;
  /** Projects whose files could not be used, which the operator was told of. */
  readonly #told = new Set<string>();

  constructor(options: DiskTroubleOptions) {
    this.#options = options;
  }

  /** Why the last request was not stored; null: as far as is known, the next one will be. */
  get reason(): string | null {
    return this.#error?.message ?? null;
  }

  /** A request of this project could not be stored because of the disk, be it the whole disk or the project's file. */
  failed(error: AppError, project: string): void {
    if (error.data.ofProject === true) void this.suspect(error, project);
    else this.#failed(error, project);
  }

  /** The same where it may be the file of the project alone. Never rejects. */
  async suspect(error: AppError, project: string): Promise<void> {
    if (this.#trying || this.#error !== null) return;
    if (!(await this.#takesFile())) return this.#failed(error, project);
    if (this.#told.has(project) || this.#closed) return;
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    this.#told.add(project);
    this.#options.onTrouble(error, OF_PROJECT, project);
  }

  #failed(error: AppError, project: string): void {
    if (this.#closed) return;
    if (this.#error === null) this.#options.onTrouble(error, WHAT, project);
    this.#error = error;
    this.#timer ??= setInterval(() => void this.#try(), EVERY.value).unref();
  }

  /** A request was stored. */
  passed(): void {
    if (this.#error === null) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#error = null;
  }

  close(): void {
    this.#closed = true;
    this.passed();
  }

  async #try(): Promise<void> {
    if (!this.#trying && (await this.#takesFile())) this.passed();
  }

  /** If not, the reason that clients were told still holds: the next try, or the next request, may find that it has passed. */
  async #takesFile(): Promise<boolean> {
    this.#trying = true;
    try {
      await writeAndRemove(path.join(this.#options.folder, `disk-${process.pid}`));
      return true;
    } catch {
      return false;
    } finally {
      this.#trying = false;
    }
  }
}

const OF_PROJECT =
  'the file of a project cannot be used, and its clients get 503; all others are served: mend its permissions or its disk (`wl admin check`)';

const WHAT =
  'events cannot be stored, and clients get 503: make room on the disk of the data folder, or mend it or its permissions (`wl admin doctor`)';

/** Nothing is left of the file even if the process is killed meanwhile: its name is gone before it is written. */
async function writeAndRemove(file: string): Promise<void> {
  await using handle = await fs.open(file, 'w', 0o600);
  await fs.rm(file);
  await handle.writeFile(Buffer.alloc(ROOM));
  await handle.sync();
}
