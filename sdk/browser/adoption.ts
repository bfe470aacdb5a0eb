/**
 * A new page takes over what earlier pages left in their queues. A live page holds a lock with its name, which the browser
 * releases when the page is gone. Without locks (on plain http) a page takes everything, also from live pages: what two pages
 * send has one insert id.
 */
import type { Properties } from './capture.ts';
import { ownJson } from './own-json.ts';
import type { PageQueue, Stored } from './queue.ts';
import type { Store } from './store.ts';

interface Fields {
  readonly event_properties?: Properties;
}

/** An event that an earlier version of the script has left: of fields that it shared with others, and its own, which win. */
function whole(shared: string, own: string, insert_id: string): string {
  const [theirs, ours] = [ownJson<Fields>(shared), ownJson<Fields>(own)];
  const event_properties = { ...theirs.event_properties, ...ours.event_properties };
  return JSON.stringify({ ...theirs, ...ours, event_properties, insert_id });
}

/** Calls back with whether the lock of a page is free, and holds it until what that returns has resolved. */
function lock(page: string, use: (free: unknown) => unknown): void {
  if (navigator.locks) navigator.locks.request(`wl.${page}`, { ifAvailable: true }, use).catch(() => undefined);
  else use(true);
}

/**
 * Returns what takes the lock of a page if the page does not have it, and gives it back when the page is left: with a lock it could
 * not enter the back/forward cache. Firefox decides that before pagehide, and counts a request for a lock that is taken like one
 * that is held. A page that stays after all has no lock until this is next called.
 */
export function createLock(page: string): () => void {
  let free = true;
  return () => {
    if (free)
      lock(page, () => {
        return new Promise((left) => {
          for (const name of ['beforeunload', 'pagehide']) addEventListener(name, () => left((free = true)));
        });
      });
    free = false;
  };
}

/** Takes over what there is, then calls back. */
export function adopt(store: Store, queue: PageQueue, done: () => unknown): void {
  for (const page of new Set(store.keys().map((key) => key.split('.')[1]))) {
    if (!page || page === queue.page) continue;
    lock(page, (free) => {
      if (!free) return;
      // Items (q) before what an earlier version has let them share (c).
      for (const key of store.keys().sort().reverse()) {
        const [kind, owner, id = ''] = key.split('.');
        if (owner !== page) continue;
        try {
          if (kind === 'q') {
            const [what, shared, text] = ownJson<Stored>(store.get(key));
            const theirs = store.get(shared);
            queue.add(what, theirs ? whole(theirs, text, id) : text, id);
          }
        } catch {
          // not an item
        }
        store.remove(key);
      }
      done();
    });
  }
}
