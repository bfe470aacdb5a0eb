/**
 * Backups that the service makes by itself, like `wl admin backup DIR --keep N`: in a separate process, so that what it reads
 * and decodes takes none of the service's memory, and a fault in it ends nobody's request.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Log } from '../base/log.ts';
import { WL_PROGRAM } from '../base/files/package-folder.ts';

/** Longest wait before a failed backup is retried. Milliseconds. */
const RETRY = 600_000;

export interface BackupScheduleOptions {
  readonly data: string;
  /** A folder or bucket of backups; the newest `keep` are kept. */
  readonly dir: string;
  /** Settings for the process besides the environment's: the flags given to `wl serve`. */
  readonly env: Readonly<Record<string, string>>;
  readonly keep: number;
  /** Milliseconds from the end of one to the start of the next. */
  readonly every: number;
  /** When the last one ended, whoever made it; milliseconds since the epoch, null: there was none. */
  readonly last: () => Promise<number | null>;
  readonly log: Log;
}

export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  #timer: NodeJS.Timeout | null = null;
  #child: ChildProcessByStdio<null, Readable, Readable> | null = null;
  #closed = false;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
    void this.#plan();
  }

  /** Stops a running backup; the next one removes its unfinished files. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#child === null) return;
    const gone = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await gone;
  }

  async #plan(): Promise<void> {
    const { every, last, log } = this.#options;
    try {
      const since = Date.now() - ((await last()) ?? -Infinity);
      this.#wait(since < 0 ? every : every - since); // setting the clock back does not delay it further
    } catch (error) {
      log.error({ err: error }, 'cannot read when the last backup was made; it will be retried');
      this.#wait(Math.min(every, RETRY));
    }
  }

  #wait(ms: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#make(), Math.max(0, ms)).unref();
  }

  #make(): void {
    const { data, dir, keep, every, env, log } = this.#options;
    const args = ['admin', 'backup', dir, '--keep', String(keep), '--data', data, '--json'];
    const child = spawn(process.execPath, [WL_PROGRAM, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      // Characters of a failed backup's output to log.
      child[name].setEncoding('utf8').on('data', (text: string) => (said[name] = (said[name] + text).slice(-2_000)));
    const end = (reason: string | null): void => {
      if (this.#child !== child) return;
      this.#child = null;
      if (this.#closed) return;
      const backup = said.stdout.trim();
      if (reason === null) {
        log.info({ backup }, 'a backup was made');
        void this.#plan();
      } else if (backup !== '') {
        log.error({ backup, said: said.stderr.trim() }, 'a backup was made without the projects that are damaged');
        void this.#plan();
      } else {
        log.error({ dir, reason, said: said.stderr.trim() }, 'no backup could be made; it will be retried');
        this.#wait(Math.min(every, RETRY));
      }
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(code === 0 ? null : `exit ${code ?? signal}`));
  }
}
