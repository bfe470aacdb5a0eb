/**
 * Brings the log of the control database into its file, in a thread of its own: in the event loop every request would wait while
 * the disk syncs the log and then the file, some tens of milliseconds every few seconds where thousands of projects are counted.
 */
import { Worker } from 'node:worker_threads';
import { threadFile } from '../../base/thread-file.ts';

/** The thread ends after this time without requests, ms: it takes some 10 MB, and a small service needs it every few minutes. */
const IDLE_MS = 30_000;

export class Checkpointer {
  readonly #file: string;
  readonly #onError: (error: Error) => void;
  #thread: { readonly worker: Worker; readonly ended: Promise<void> } | null = null;
  #isRunning = false;
  #failing = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param onError Called with the first failure in a row. */
  constructor(file: string, onError: (error: Error) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  /** Begins a checkpoint, unless one is running. */
  request(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#rest();
    this.#thread ??= this.#start();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#thread.worker.postMessage('checkpoint');
  }

  /** Waits for a running checkpoint. */
  async close(): Promise<void> {
    this.#rest();
    await this.#end();
  }

  #start(): { worker: Worker; ended: Promise<void> } {
    const worker = new Worker(threadFile(new URL('./checkpoint-thread.js', import.meta.url)), {
      workerData: this.#file,
    });
    worker.on('message', (failure: string | null) => this.#done(failure));
    worker.on('error', (error) => {
      this.#thread = null; // it ends
      this.#done(String(error));
    });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.once('exit', () => resolve());
    worker.unref();
    return { worker, ended };
  }

  #done(failure: string | null): void {
    this.#isRunning = false;
    if (failure !== null && !this.#failing) {
      this.#onError(new Error(`the control database's log cannot be brought into its file: ${failure}`));
    }
    this.#failing = failure !== null;
    this.#timer ??= setTimeout(() => void this.#end(), IDLE_MS).unref();
  }

  #rest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (thread === null) return;
    thread.worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.worker.postMessage(null);
    await thread.ended;
  }
}
