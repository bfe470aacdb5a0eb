/** Keeps a program's own queue from throwing where nobody waits for it, which would end the program. */
import type { ClientQueue } from './memory-queue.ts';

/** `onFault` is called with what the queue has thrown; then the queue seems empty and takes nothing. */
export function guardedQueue(queue: ClientQueue, onFault: (cause: unknown) => void): ClientQueue {
  const guarded = <T>(act: () => T, instead: T): T => {
    try {
      return act();
    } catch (cause) {
      onFault(cause);
      return instead;
    }
  };
  return {
    size: () => guarded(() => queue.size(), 0),
    head: (most, except) => guarded(() => queue.head(most, except), []),
    remove: (ids) => guarded(() => queue.remove(ids), undefined),
    add: (item) => guarded(() => queue.add(item), false),
    close: () => queue.close?.() ?? Promise.resolve(),
  };
}
