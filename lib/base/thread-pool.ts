/** Threads that start with a task, and end when they have rested. */
import { Piscina } from 'piscina';
import { AppError, messageOf } from './errors.ts';

/**
 * Where a thread cannot start, as when no descriptor is left, Piscina leaves the task waiting and tells only its listeners, without
 * which the process ends. Here the tasks fail.
 */
export class ThreadPool<Task, Result> {
  readonly #pool: Piscina<Task, Result>;
  readonly #running = new Set<AbortController>();

  constructor(options: ConstructorParameters<typeof Piscina>[0]) {
    this.#pool = new Piscina<Task, Result>(options);
    this.#pool.on('error', (error) => {
      for (const each of this.#running) each.abort(error);
    });
  }

  /** Rejects with what the task throws, and with AppError('storage_unavailable') if it has no thread. @param signal Ends it. */
  async run(task: Task, signal?: AbortSignal): Promise<Result> {
    const own = new AbortController();
    this.#running.add(own);
    try {
      return await this.#pool.run(task, { signal: AbortSignal.any(signal ? [signal, own.signal] : [own.signal]) });
    } catch (error) {
      throw own.signal.aborted ? noThread(own.signal.reason) : error;
    } finally {
      this.#running.delete(own);
    }
  }

  /** Ends the threads, whatever they do. */
  destroy(): Promise<void> {
    return this.#pool.destroy();
  }
}

function noThread(error: unknown): AppError {
  return new AppError('storage_unavailable', 'the server cannot start a thread for this request at the moment', {
    hints: ['try again in a minute'],
    cause: messageOf(error),
  });
}
