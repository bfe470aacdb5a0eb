import { Worker } from 'node:worker_threads';
import { threadFile } from '../../base/thread-file.ts';
import type { WriterOptions } from '../writer-messages.ts';

/** The thread of a writer, which loads its program and then waits for its options: until then it touches no file of the data. */
export class WriterThread {
  readonly worker: Worker;
  /** 1: the first message is there. */
  readonly #told = new Int32Array(new SharedArrayBuffer(4));

  constructor() {
    const workerData = this.#told;
    this.worker = new Worker(threadFile(new URL('./writer-thread.js', import.meta.url)), { workerData });
  }

  /** Has it work. */
  begin(data: WriterOptions): void {
    this.#tell(data);
  }

  /** Has it end instead. Node aborts the process when a thread is ended while it loads modules. */
  leave(): void {
    this.#tell(null);
  }

  #tell(data: WriterOptions | null): void {
    this.worker.postMessage(data, []);
    Atomics.store(this.#told, 0, 1);
    Atomics.notify(this.#told, 0);
  }
}
