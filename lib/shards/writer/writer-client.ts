/** The event loop's side of a writer thread: messages out, promises back, bounded in bytes. */
import { Worker } from 'node:worker_threads';
import { threadFile } from '../../base/thread-file.ts';
import { Ledger } from '../../base/ledger.ts';
import { AppError } from '../../base/errors.ts';
import { bytesIn, copyParts } from '../../base/parts.ts';
import { monotonic } from '../../base/monotonic.ts';
import { ownBuffers } from '../../base/own-buffers.ts';
import type { Tenant } from '../../base/project.ts';
import { threshold } from '../../base/threshold.ts';
import { tooMuchWaiting } from '../seal/answers.ts';
import { thrownBy } from '../steps.ts';
import type {
  WriterAnswer,
  AppendMessage,
  AskedAppend,
  AppendsMessage,
  WriterMessage,
  WriterOptions,
  WriterReply,
  WriterStats,
} from '../writer-messages.ts';

/** A message without its number. */
export type Unnumbered<M> = M extends { readonly id: number } ? Omit<M, 'id'> : never;
/** What the event loop asks. */
export type WriterQuestion = AskedAppend | Unnumbered<Exclude<WriterMessage, AppendMessage>>;

export interface WriterClientOptions extends WriterOptions {
  /** Bytes of bodies that may wait; beyond that, appends are refused. */
  readonly queueBytes: number;
  /** Called with what the writer reports unasked. */
  readonly onReply: (reply: WriterReply) => void;
  /** Called when the thread died: nothing sent to it is known to be on disk. */
  readonly onDeath: (error: Error) => void;
}

/** A writer tells its numbers about once a second. One that is silent for so long is stuck, milliseconds: others would wait for ever. */
const SILENCE = threshold("milliseconds of a writer's silence", 30_000, { least: 0 });

/** Approximate size of a request without its body. Bytes. */
const OVERHEAD = 1_024;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Its share of the queue. */
  readonly held: { readonly tenant: Tenant; readonly bytes: number } | null;
}

export class WriterClient {
  /** Resolves when the writer is ready; rejects if it cannot work. The value: why not everything could be sealed, if so. */
  readonly ready: Promise<AppError | null>;
  readonly #worker: Worker;
  readonly #options: WriterClientOptions;
  readonly #shares: Ledger;
  /** By the number of the message. */
  readonly #waiting = new Map<number, Waiting>();
  #sent = 0;
  #unsealed: readonly string[] = [];
  /** Appends of this turn of the event loop. */
  #appends: AppendMessage[] = [];
  /** Streams that ended in this turn. */
  #ended: number[] = [];
  #closing = false;
  /** When it said anything last, by `monotonic()`. */
  #heard = monotonic();
  #stats: WriterStats = {
    ...{ openShards: 0, journalBytes: 0, pendingRows: 0, pendingSeconds: 0, dictionaryBytes: 0 },
    ...{ seals: 0, sealSeconds: 0, compactions: 0 },
  };
  #settleReady: { resolve: (error: AppError | null) => void; reject: (error: Error) => void } | null = null;

  constructor(thread: WriterThread, options: WriterClientOptions) {
    const { onReply: _onReply, onDeath: _onDeath, queueBytes: _queueBytes, ...plain } = options;
    this.#options = options;
    this.#shares = new Ledger(options.queueBytes);
    this.ready = new Promise((resolve, reject) => (this.#settleReady = { resolve, reject }));
    this.#worker = thread.worker;
    this.#worker.on('message', (reply: WriterReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#die(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', (code) => this.#die(new Error(`the writer ended with code ${code}`)));
    thread.begin(plain);
  }

  get queuedBytes(): number {
    return this.#shares.total;
  }

  queuedBy(project: string): number {
    return this.#shares.heldBy(project);
  }

  /** Once it is ready: the projects of which it had something that their files lacked. */
  get unsealed(): readonly string[] {
    return this.#unsealed;
  }

  get stats(): WriterStats {
    return this.#stats;
  }

  /** Whether it has said nothing for long. */
  get isSilent(): boolean {
    return monotonic() - this.#heard >= SILENCE.value;
  }

  /** Sends a message and resolves with its answer. Rejects with AppError, `overloaded` if too much is waiting already. */
  ask<T>(message: WriterQuestion): Promise<T> {
    if (message.op === 'append') return this.#append(message);
    this.#flush();
    const { id, answer } = this.#expect<T>(null);
    // The bytes of compacted segments are transferred, not copied.
    this.#worker.postMessage(
      { ...message, id },
      message.op === 'compacted' ? ownBuffers([message.segments, message.texts]) : [],
    );
    return answer;
  }

  #append<T>(message: AskedAppend): Promise<T> {
    const length = bytesIn(message.body);
    const bytes = length + OVERHEAD;
    if (!this.#shares.take(message.project, bytes)) return Promise.reject(tooMuchWaiting());
    const { id, answer } = this.#expect<T>({ tenant: message.project, bytes });
    this.#flushSoon();
    this.#appends.push({ ...message, id, body: copyParts(message.body, new Uint8Array(length), 0) });
    return answer;
  }

  #expect<T>(held: Waiting['held']): { id: number; answer: Promise<T> } {
    const id = ++this.#sent;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject, held }));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the asker names the type of its own message's answer
    return { id, answer: answer as Promise<T> };
  }

  /** Whether a project may have so many bytes more waiting, and as many again besides, for its other requests. */
  hasRoom(project: Tenant, bytes: number): boolean {
    return this.#shares.fits(project, 2 * (bytes + OVERHEAD));
  }

  /** No more pieces of a stream will come. All of them must have been answered. */
  endStream(stream: number): void {
    this.#flushSoon();
    this.#ended.push(stream);
  }

  /** Seals everything and ends the thread. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.ask({ op: 'close' });
    await this.#worker.terminate();
  }

  /** Call it before anything is collected. */
  #flushSoon(): void {
    if (this.#appends.length + this.#ended.length === 0) setImmediate(() => this.#flush());
  }

  /** Sends what was collected. */
  #flush(): void {
    if (this.#appends.length + this.#ended.length === 0) return;
    const message: AppendsMessage = { op: 'appends', appends: this.#appends, ended: this.#ended };
    this.#appends = [];
    this.#ended = [];
    this.#worker.postMessage(message, ownBuffers(message.appends.map(({ body }) => body)));
  }

  #receive(reply: WriterReply): void {
    this.#heard = monotonic();
    switch (reply.op) {
      case 'done':
        for (const answer of reply.answers) this.#settle(answer);
        break;
      case 'ready':
        this.#unsealed = reply.unsealed;
        this.#settleReady?.resolve(reply.error ? AppError.from(reply.error) : null);
        break;
      case 'stats':
        this.#stats = reply.stats;
        break;
      default:
        this.#options.onReply(reply);
    }
  }

  #settle(answer: WriterAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) throw new Error(`the writer answered ${answer.id}, which nobody asked`);
    this.#waiting.delete(answer.id);
    if (waiting.held !== null) this.#shares.give(waiting.held.tenant, waiting.held.bytes);
    if (answer.ok) waiting.resolve(answer.value);
    else waiting.reject(thrownBy(answer));
  }

  #die(error: Error): void {
    this.#settleReady?.reject(error);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    if (!this.#closing) this.#options.onDeath(error);
  }
}

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
