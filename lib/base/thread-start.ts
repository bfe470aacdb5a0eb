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

/** The next message of a thread that is not null. Rejects if the thread fails or ends before, with `ended` as the message. */
export function nextMessage<Message>(worker: Worker, ended: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (use: () => void): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      use();
    };
    const onMessage = (message: Message | null): void => {
      if (message !== null) settle(() => resolve(message));
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onExit = (): void => settle(() => reject(new Error(ended)));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}
