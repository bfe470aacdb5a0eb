/** The event loop's side of a writer thread: messages out, promises back, bounded in bytes. */
import { Worker } from 'node:worker_threads';
import { ByteShares } from '../../base/byte-shares.ts';
import { AppError } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';
import type {
  Answer,
  AppendMessage,
  AppendsMessage,
  WriterMessage,
  WriterOptions,
  WriterReply,
  WriterStats,
} from '../writer-messages.ts';
import { threadFile } from '../../base/thread-file.ts';
import { bodyPassed } from '../../base/young-buffers.ts';

/** A message without its number. */
export type Unnumbered<M> = M extends { readonly id: number } ? Omit<M, 'id'> : never;

export interface WriterClientOptions extends WriterOptions {
  /** Bytes of bodies that may wait; beyond that, appends are refused. */
  readonly queueBytes: number;
  /** Called with what the writer reports unasked. */
  readonly onReply: (reply: WriterReply) => void;
  /** Called when the thread died: nothing sent to it is known to be on disk. */
  readonly onDeath: (error: Error) => void;
}

/** Bodies up to this size are copied into one buffer: transferring a buffer costs more than the copy. Bytes. */
const SMALL = 16_384;

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
  readonly #shares: ByteShares;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  /** Appends of this turn of the event loop. */
  #appends: AppendMessage[] = [];
  #closing = false;
  #stats: WriterStats = {
    ...{ openShards: 0, journalBytes: 0, pendingRows: 0, pendingSeconds: 0, dictionaryBytes: 0 },
    ...{ seals: 0, sealSeconds: 0, compactions: 0 },
  };
  #settleReady: { resolve: (error: AppError | null) => void; reject: (error: Error) => void } | null = null;

  constructor(options: WriterClientOptions) {
    const { onReply: _onReply, onDeath: _onDeath, queueBytes: _queueBytes, ...workerData } = options;
    this.#options = options;
    this.#shares = new ByteShares(options.queueBytes);
    this.ready = new Promise((resolve, reject) => (this.#settleReady = { resolve, reject }));
    this.#worker = new Worker(threadFile(new URL('./writer-thread.js', import.meta.url)), { workerData });
    this.#worker.on('message', (reply: WriterReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#die(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', (code) => this.#die(new Error(`the writer ended with code ${code}`)));
  }

  get queuedBytes(): number {
    return this.#shares.total;
  }

  queuedBy(project: string): number {
    return this.#shares.heldBy(project);
  }

  get stats(): WriterStats {
    return this.#stats;
  }

  /** Sends a message and resolves with its answer. Rejects with AppError, `overloaded` if too much is waiting already. */
  ask<T>(message: Unnumbered<WriterMessage>): Promise<T> {
    const held =
      message.op === 'append' ? { tenant: message.project, bytes: message.body.byteLength + OVERHEAD } : null;
    if (held !== null && !this.#shares.take(held.tenant, held.bytes)) {
      return Promise.reject(
        new AppError('overloaded', 'too many events are waiting on the server; nothing of this request was stored', {
          hints: ['Wait and send the same request again; larger batches, sent less often, cost the server less.'],
        }),
      );
    }
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject, held }));
    if (message.op === 'append') {
      if (this.#appends.push({ ...message, id }) === 1) setImmediate(() => this.#flush());
    } else {
      this.#flush();
      this.#worker.postMessage({ ...message, id }, transfers(message));
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the asker names the type of its own message's answer
    return answer as Promise<T>;
  }

  /** Seals everything and ends the thread. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.ask({ op: 'close' });
    await this.#worker.terminate();
  }

  /** Sends the collected appends. */
  #flush(): void {
    if (this.#appends.length === 0) return;
    const appends = this.#appends;
    this.#appends = [];
    const { message, buffers } = packed(appends);
    this.#worker.postMessage(message, buffers);
  }

  #receive(reply: WriterReply): void {
    switch (reply.op) {
      case 'done':
        for (const answer of reply.answers) this.#settle(answer);
        break;
      case 'ready':
        this.#settleReady?.resolve(reply.error ? AppError.from(reply.error) : null);
        break;
      case 'stats':
        this.#stats = reply.stats;
        break;
      default:
        this.#options.onReply(reply);
    }
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) throw new Error(`the writer answered ${answer.id}, which nobody asked`);
    this.#waiting.delete(answer.id);
    if (waiting.held !== null) {
      this.#shares.give(waiting.held.tenant, waiting.held.bytes);
      bodyPassed(waiting.held.bytes);
    }
    if (answer.ok) waiting.resolve(answer.value);
    else waiting.reject('bug' in answer.error ? new Error(answer.error.bug) : AppError.from(answer.error));
  }

  #die(error: Error): void {
    this.#settleReady?.reject(error);
    const unanswered = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of unanswered) reject(error);
    if (!this.#closing) this.#options.onDeath(error);
  }
}

/** Large bodies are transferred as they are, small ones in one buffer. */
function packed(appends: readonly AppendMessage[]): { message: AppendsMessage; buffers: ArrayBuffer[] } {
  const small = (body: Uint8Array): boolean => body.length <= SMALL || body.length < body.buffer.byteLength;
  const bytes = appends.reduce((sum, { body }) => sum + (small(body) ? body.length : 0), 0);
  const shared = new Uint8Array(bytes);
  const buffers = new Set([shared.buffer]);
  let at = 0;
  const own = (body: AppendMessage['body']): AppendMessage['body'] => {
    if (!small(body)) {
      buffers.add(body.buffer);
      return body;
    }
    shared.set(body, at);
    return shared.subarray(at, (at += body.length));
  };
  const message = { op: 'appends' as const, appends: appends.map((append) => ({ ...append, body: own(append.body) })) };
  return { message, buffers: [...buffers] };
}

/** The bytes of compacted segments are transferred, not copied. */
function transfers(message: Unnumbered<WriterMessage>): ArrayBuffer[] {
  if (message.op !== 'compacted') return [];
  const buffers = message.segments.flatMap(({ types, columns }) => [
    types.buffer,
    ...columns.map(({ data }) => data.buffer),
  ]);
  return [...new Set(buffers)].filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer);
}
