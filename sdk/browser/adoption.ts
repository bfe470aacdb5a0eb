/**
 * A new page takes over what earlier pages left in their queues. A live page holds a lock with its name, which the browser
 * releases when the page is gone. Without locks (on plain http) a page takes everything, also from live pages: what two pages
 * send has one insert id.
 */
import { timeOfUuid } from '../core/uuid.ts';
import { ownJson } from './own-json.ts';
import type { PageQueue, Stored } from './queue.ts';
import type { Store } from './store.ts';

/** Older items are not sent: after 7 days the server would not recognize a duplicate. Milliseconds. */
const MOST_AGE_MS = 6 * 86_400_000;

/** Calls back with the lock of a page, or with null if it is taken and `ifAvailable`. */
function lock(page: string, ifAvailable: boolean, use: (lock: unknown) => unknown): void {
  navigator.locks?.request(`wl.${page}`, { ifAvailable }, use).catch(() => undefined);
}

/** Holds the lock of a page; returns its release. A page with a lock could not enter the back/forward cache. */
export function holdLock(page: string): () => void {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  lock(page, false, () => held);
  return release;
}

/** Takes over what there is, then calls back. */
export function adopt(store: Store, queue: PageQueue, done: () => unknown): void {
  for (const page of new Set(store.keys().map((key) => key.split('.')[1]))) {
    if (!page || page === queue.page) continue;
    const take = (lock: unknown): void => {
      if (!lock) return;
      for (const key of store.keys()) {
        const [kind, owner, id] = key.split('.');
        if (kind !== 'q' || owner !== page) continue;
        try {
          if (timeOfUuid(id!) < Date.now() - MOST_AGE_MS) continue;
          const [what, shared, own] = ownJson<Stored>(store.get(key));
          queue.add(what, store.get(shared) ?? '{}', own, id);
        } catch {
          // not an item
        }
      }
      for (const key of store.keys()) if (key.split('.')[1] === page) store.remove(key);
      done();
    };
    if (navigator.locks) lock(page, true, take);
    else take(true);
  }
}
