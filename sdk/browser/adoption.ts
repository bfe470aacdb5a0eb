/**
 * What pages have left in their queues, a page that comes takes over. While a page is there it holds a lock of its name, which
 * the browser gives back when the page is gone. Where there are no locks (on plain http) everything is taken, also of pages
 * that are there: what two pages send has one insert id.
 */
import { timeOfUuid } from '../core/uuid.ts';
import { ownJson } from './own-json.ts';
import type { PageQueue, Stored } from './queue.ts';
import type { Store } from './store.ts';

/** What is older is not sent any more: after 7 days the server would not notice that it has it already. Milliseconds. */
const MOST_AGE_MS = 6 * 86_400_000;

const nameOf = (page: string): string => `wl.${page}`;

/** Holds the lock of a page; answers what gives it back. A page with a lock would not come into the back/forward cache. */
export function holdLock(page: string): () => void {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  navigator.locks?.request(nameOf(page), () => held).catch(() => undefined);
  return release;
}

/** Takes over what there is, and calls back when it did. */
export function adopt(store: Store, queue: PageQueue, done: () => unknown): void {
  const keys = store.keys().filter((key) => /^[cq]\./.test(key));
  for (const page of new Set(keys.map((key) => key.split('.')[1]!))) {
    if (page === queue.page) continue;
    const take = (lock: unknown): void => {
      if (!lock) return;
      for (const key of store.keys()) {
        const [kind, owner, id] = key.split('.');
        if (kind !== 'q' || owner !== page || !id || timeOfUuid(id) < Date.now() - MOST_AGE_MS) continue;
        try {
          const [what, shared, own] = ownJson<Stored>(store.get(key));
          queue.add(what, store.get(shared) ?? '{}', own, id);
        } catch {
          // It is no item.
        }
      }
      for (const key of store.keys()) if (key.split('.')[1] === page) store.remove(key);
      done();
    };
    if (navigator.locks) navigator.locks.request(nameOf(page), { ifAvailable: true }, take).catch(() => undefined);
    else take(true);
  }
}
