import type { Worker } from 'node:worker_threads';

/** Of threads that work on arrays: what their few objects need. With the usual sizes each keeps some 100 MB that it never uses again. */
export const SMALL_HEAP = { maxYoungGenerationSizeMb: 12 };

/**
 * Resolves when a thread has sent its first message, which it does when its modules are loaded, and also when it is gone.
 * Until then it must not be ended: Node aborts the whole process when a thread is ended while it loads modules.
 */
export function startOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['message', 'error', 'exit']) worker.once(event, () => resolve());
  });
}
