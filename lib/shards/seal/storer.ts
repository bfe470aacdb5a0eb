/** The thread that stores as its writer sees it. One task at a time; whose is next goes by turns of organizations and projects. */
import { Worker } from 'node:worker_threads';
import { FairQueue } from '../../base/fair-queue.ts';
import type { Tenant } from '../../base/project.ts';
import type { SealBatch } from './seal-batch.ts';
import type { EncodedSegment } from '../segment/encode.ts';
import type { StoreRequest } from './store-thread.ts';
import type { StoreTask } from './store-tasks.ts';
import type { Answer } from '../writer-messages.ts';
import { threadFile } from '../../base/thread-file.ts';

/** What became of a task. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Extract<Answer, { ok: false }>['error'] };

/** Whoever does the tasks of a writer. */
export interface Storing {
  /** Does a task on a shard file, and tells its end; arrays of the task are not the caller's any more. */
  run(tenant: Tenant, file: string, task: StoreTask, done: (outcome: Outcome) => void): void;
  /** Ends, when nothing is left to do, and then tells. */
  close(done: () => void): void;
}

interface Waiting {
  readonly tenant: Tenant;
  readonly request: StoreRequest;
  readonly done: (outcome: Outcome) => void;
}

export class Storer implements Storing {
  /** null: nothing had to be done yet. */
  #worker: Worker | null = null;
  readonly #queue = new FairQueue<Waiting>();
  #running: Waiting | null = null;
  #begun = 0;
  #next = 1;
  #closing = false;

  run(tenant: Tenant, file: string, task: StoreTask, done: (outcome: Outcome) => void): void {
    this.#queue.push(tenant, { tenant, request: { id: this.#next++, file, task }, done }, 0);
    if (!this.#running) this.#start();
  }

  close(done: () => void): void {
    this.#closing = true;
    if (this.#worker === null) return done();
    this.#worker.once('exit', done);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(null);
  }

  /** Starts with the first task: most services have only small seals for a while, and some for ever. */
  get #thread(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(threadFile(new URL('./store-thread.js', import.meta.url)));
    worker.on('message', (answer: Answer | null) => {
      if (answer) this.#finish(answer);
    });
    // Nothing of what it was told is known to be stored: the writer must not go on without it.
    worker.on('error', (error) => this.#die(error));
    worker.on('exit', (code) => this.#die(new Error(`the thread that stores ended with code ${code}`)));
    return (this.#worker = worker);
  }

  #start(): void {
    const next = this.#queue.shift() ?? null;
    this.#running = next;
    if (!next) return;
    this.#begun = performance.now();
    this.#thread.postMessage(next.request, transfers(next.request.task));
  }

  #finish(answer: Answer): void {
    const ended = this.#running;
    if (ended?.request.id !== answer.id) throw new Error(`the thread that stores answered ${answer.id}`);
    this.#queue.charge(ended.tenant, performance.now() - this.#begun);
    this.#start(); // it works while the writer takes in what it did
    ended.done(answer);
  }

  #die(error: unknown): void {
    if (!this.#closing) throw error instanceof Error ? error : new Error(String(error));
  }
}

/** Arrays change threads instead of being copied. */
function transfers(task: StoreTask): ArrayBuffer[] {
  const arrays =
    task.op === 'seal' ? [...arraysOf(task.batch)] : task.op === 'compacted' ? columnsOf(task.segments) : [];
  const whole = arrays.filter(({ byteLength, buffer }) => byteLength === buffer.byteLength);
  const buffers = new Set(whole.map(({ buffer }) => buffer));
  return [...buffers].filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer && buffer.byteLength > 0);
}

type AnyArray = Uint8Array | Uint32Array | Float64Array;

const columnsOf = (segments: readonly EncodedSegment[]): AnyArray[] =>
  segments.flatMap(({ types, columns }) => [types, ...columns.map(({ data }) => data)]);

function* arraysOf({ rows, fields, state, bindings }: SealBatch): Iterable<AnyArray> {
  if (rows) {
    const { times, arrivals, received, types, users, devices, sessions, insertIds } = rows;
    yield* [times, arrivals, received, types, users, devices, sessions, insertIds.kinds, insertIds.low, insertIds.high];
    yield insertIds.uuids;
    if (insertIds.texts) yield* [insertIds.texts.ends, insertIds.texts.bytes];
  }
  yield* [fields.heads, fields.rows, fields.codes, fields.numberRows, fields.numbers];
  const lists = state.shared.flatMap(({ fresh, index }) => [fresh?.list ?? [], index?.list ?? []].flat());
  for (const { types, ends, bytes } of [fields.texts, state.properties.texts, ...lists]) yield* [types, ends, bytes];
  yield bindings.data;
}
