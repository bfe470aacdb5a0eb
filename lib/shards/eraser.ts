/** Erasures as the event loop sees them: each in a thread of its own, a few at a time. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { AppError } from '../errors.ts';
import type { Snapshot } from './column.ts';
import type { ToErase } from './erase-shard.ts';
import type { EraseTask } from './erase-thread.ts';
import type { Erased } from './erase.ts';
import type { Answer } from './writer-messages.ts';
import { threadFile } from '../thread-file.ts';

/** Erasures at once: each reads a whole shard. */
const MOST = 2;

export class Eraser {
  readonly #queue = new PQueue({ concurrency: MOST });

  /** What an erasure would reach. */
  lookUp(snapshot: Snapshot, userId: string): Promise<ToErase> {
    return this.#queue.add(() => inThread<ToErase>({ op: 'look_up', snapshot, userId }));
  }

  /** Resolves when the thread has ended and let go of the file. Rejects with AppError when the disk does not let it, or the shard is damaged. */
  erase(snapshot: Snapshot, userId: string): Promise<Erased> {
    return this.#queue.add(() => inThread<Erased>({ op: 'erase', snapshot, userId }));
  }
}

async function inThread<T>(workerData: EraseTask): Promise<T> {
  const worker = new Worker(threadFile(new URL('./erase-thread.js', import.meta.url)), { workerData });
  const ended = once(worker, 'exit');
  let answer: Answer | null = null;
  worker.once('message', (told: Answer) => (answer = told));
  await Promise.race([ended, once(worker, 'error').then(([error]) => Promise.reject(asError(error)))]);
  return opened<T>(answer);
}

function opened<T>(answer: Answer | null): T {
  if (answer === null) throw new Error('the erasure ended too early');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the thread answers
  if (answer.ok) return answer.value as T;
  throw 'bug' in answer.error ? new Error(answer.error.bug) : AppError.from(answer.error);
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
