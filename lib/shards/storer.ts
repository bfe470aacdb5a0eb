/** The writer's side of its store thread. One task at a time, in turns of organizations and projects. */
import { Worker } from 'node:worker_threads';
import { Turns } from '../base/turns.ts';
import { AppError, codeOf, messageOf } from '../base/errors.ts';
import { ownBuffers } from '../base/own-buffers.ts';
import type { Tenant } from '../base/project.ts';
import { SEND_AGAIN } from './file/shard-file.ts';
import type { StoreTask } from './seal/store-tasks.ts';
import type { WriterAnswer, WriterOptions } from './writer-messages.ts';
import { threadFile } from '../base/thread-file.ts';
import { threshold } from '../base/threshold.ts';

/**
 * The thread ends after this time without work: the memory in which it makes segments never shrinks, and takes some 25 MB with its
 * heap. Milliseconds.
 */
const REST = threshold('milliseconds until the store thread ends', 10_000, { least: 0 });

/** The outcome of a task. */
export type TaskOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Extract<WriterAnswer, { ok: false }>['error'] };

/** Runs a writer's tasks. */
export interface Storing {
  /** Runs a task on a shard file, then calls `done`; the task's arrays no longer belong to the caller. */
  run(tenant: Tenant, file: string, task: StoreTask, done: (outcome: TaskOutcome) => void): void;
  /** Ends once nothing is left to do, then calls `done`. */
  close(done: () => void): void;
}

/** What the thread starts with. */
export type StoreData = Omit<WriterOptions, 'folder'>;

export interface StoreRequest {
  readonly id: number;
  /** The shard. */
  readonly file: string;
  readonly task: StoreTask;
}

interface Waiting {
  readonly tenant: Tenant;
  readonly request: StoreRequest;
  readonly done: (outcome: TaskOutcome) => void;
}

export class Storer implements Storing {
  readonly #options: StoreData;
  /** null: no task so far, or none for long. */
  #worker: Worker | null = null;
  /** Whether it has loaded its modules. */
  #loaded = false;
  #rest: NodeJS.Timeout | undefined;
  readonly #queue = new Turns<Waiting>();
  #running: Waiting | null = null;
  #begun = 0;
  #next = 1;
  #closing = false;

  constructor(options: StoreData) {
    this.#options = options;
  }

  run(tenant: Tenant, file: string, task: StoreTask, done: (outcome: TaskOutcome) => void): void {
    this.#queue.push(tenant, { tenant, request: { id: this.#next++, file, task }, done }, 0);
    if (!this.#running) this.#start();
  }

  close(done: () => void): void {
    this.#closing = true;
    clearTimeout(this.#rest);
    if (this.#worker === null) return done();
    this.#worker.once('exit', done);
    if (this.#loaded) this.#letGo(this.#worker);
  }

  /** Has the thread end after what it was sent. */
  #letGo(worker: Worker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(null);
  }

  /** Started when there is a task: for a while, or for ever, most services have only small seals. */
  get #thread(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(threadFile(new URL('./store-thread.js', import.meta.url)), { workerData: this.#options });
    worker.on('message', (answer: WriterAnswer | null) => {
      if (answer) return this.#finish(answer);
      this.#loaded = true;
      this.#send(worker);
      if (this.#closing) this.#letGo(worker);
    });
    worker.on('error', (error) => {
      if (!this.#loaded && this.#running) return this.#notStarted(this.#running, error);
      // Nothing it was sent is known to be stored: the writer must not continue without it.
      this.#die(error);
    });
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#die(new Error(`the thread that stores ended with code ${code}`));
    });
    this.#loaded = false;
    return (this.#worker = worker);
  }

  #start(): void {
    const next = this.#queue.shift() ?? null;
    this.#running = next;
    clearTimeout(this.#rest);
    if (!next) {
      this.#rest = setTimeout(() => this.#end(), REST.value).unref();
      return;
    }
    this.#begun = performance.now();
    const worker = this.#thread;
    if (this.#loaded) this.#send(worker);
  }

  /** A thread that does not load, for want of a descriptor, must not take the arrays of a task with it: so it gets them only then. */
  #send(worker: Worker): void {
    const task = this.#running;
    if (task) worker.postMessage(task.request, transfers(task.request.task));
  }

  #notStarted({ done }: Waiting, error: unknown): void {
    this.#worker = null;
    const told = `the server cannot start the thread that stores (${codeOf(error) || messageOf(error)}); nothing of this request was stored`;
    this.#start(); // the next task tries again
    done({ ok: false, error: new AppError('storage_unavailable', told, SEND_AGAIN).data });
  }

  #finish(answer: WriterAnswer): void {
    const ended = this.#running;
    if (ended?.request.id !== answer.id) throw new Error(`the thread that stores answered ${answer.id}`);
    this.#queue.charge(ended.tenant, performance.now() - this.#begun);
    this.#start(); // it works while the writer processes this result
    ended.done(answer);
  }

  /** The next task gets a new thread. */
  #end(): void {
    if (this.#closing) return;
    if (this.#worker !== null) this.#letGo(this.#worker);
    this.#worker = null;
  }

  #die(error: unknown): void {
    if (!this.#closing) throw error instanceof Error ? error : new Error(String(error));
  }
}

/** Arrays are transferred instead of copied. */
function transfers(task: StoreTask): ArrayBuffer[] {
  if (task.op === 'compacted') return ownBuffers([task.segments, task.texts]);
  if (task.op !== 'seal') return [];
  const { rows, fields, state, bindings } = task.batch;
  return ownBuffers([rows, fields, state.shared, state.properties, bindings]);
}
