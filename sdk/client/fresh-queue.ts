/** Keeps back what is too old to be sent again: the server knows insert ids for 7 days, and would count it twice. */
import { timeOfUuid } from '../core/uuid.ts';
import type { Item } from '../core/item.ts';
import type { ClientQueue } from './memory-queue.ts';

/** Age of an item from which it is kept back, ms: the 7 days, less an hour for a request on its way. */
const SAFE_AGE_MS = 7 * 86_400_000 - 3_600_000;

export interface FreshQueue extends ClientQueue {
  /** From now on what is kept back now is sent, too. */
  release(): void;
}

/** @param onExpired called with how many items are kept back, when there are more of them than before */
export function freshQueue(queue: ClientQueue, onExpired: (items: number) => void): FreshQueue {
  const kept = new Set<string>();
  /** Items made before are sent however old they are. */
  let releasedUntil = -Infinity;
  const isExpired = ({ id }: Item): boolean => {
    const made = timeOfUuid(id);
    return made < Date.now() - SAFE_AGE_MS && made >= releasedUntil;
  };

  return {
    size: () => queue.size(),
    add: (item) => queue.add(item),
    close: () => queue.close?.() ?? Promise.resolve(),
    remove: (ids) => queue.remove(ids),
    head(most, except) {
      const before = kept.size;
      for (;;) {
        const items = queue.head(most, new Set([...except, ...kept]));
        const expired = items.filter(isExpired);
        for (const { id } of expired) kept.add(id);
        if (expired.length > 0) continue; // those behind them may be fresh
        if (kept.size > before) onExpired(kept.size);
        return items;
      }
    },
    release() {
      releasedUntil = Date.now() - SAFE_AGE_MS;
      kept.clear();
    },
  };
}
