/** The event loop's side of erasures: they run in separate threads, a few at a time. */
import { threadFile } from '../../base/thread-file.ts';
import { ThreadPool } from '../../base/thread-pool.ts';
import { thrownBy } from '../steps.ts';
import type { Snapshot } from '../shard-reader.ts';
import type { Erasable, ToErase } from './erase-shard.ts';
import type { EraseTask } from './erase-thread.ts';
import type { Erased } from './erase.ts';
import type { WriterAnswer } from '../writer-messages.ts';

/** Concurrent erasures: each reads a whole shard. */
const MOST = 2;
/** How long a thread waits for the next erasure: they come in series, as when a host clears a list. Milliseconds. */
const IDLE = 5_000;

export class Eraser {
  /** Has no threads while there is no work. */
  readonly #pool = new ThreadPool<EraseTask, WriterAnswer>({
    filename: threadFile(new URL('./erase-thread.js', import.meta.url)).href,
    maxThreads: MOST,
    idleTimeout: IDLE,
  });

  /** What an erasure would reach. */
  lookUp(snapshot: Snapshot, userId: string): Promise<ToErase> {
    return this.#run<ToErase>({ op: 'look_up', snapshot, userId });
  }

  /** Resolves once the file is closed again. Rejects with AppError if the disk prevents it, or the shard is damaged. */
  erase(snapshot: Snapshot, what: Erasable): Promise<Erased> {
    return this.#run<Erased>({ op: 'erase', snapshot, what });
  }

  /** Removes what an erasure of an earlier run has left in a shard's file. Rejects as `erase`. */
  finish(file: string): Promise<boolean> {
    return this.#run<boolean>({ op: 'finish', file });
  }

  /** Ends the threads. A running erasure is cut off as by a crash. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #run<T>(task: EraseTask): Promise<T> {
    const answer = await this.#pool.run(task);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the thread answers
    if (answer.ok) return answer.value as T;
    throw thrownBy(answer);
  }
}
