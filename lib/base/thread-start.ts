import type { Worker } from 'node:worker_threads';

/**
 * Resolves when a thread has sent its first message, which it does once its modules are loaded, and also when it is gone. Do not
 * end it before: Node aborts the whole process when a thread is ended while it loads modules.
 */
export function startOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['message', 'error', 'exit']) worker.once(event, () => resolve());
  });
}
