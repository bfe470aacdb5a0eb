/** The queue of a page, in the store: a key `q.<page>.<item>` for each item, so that adding one writes only that one. */
import type { Item, Kind, Queue } from '../core/item.ts';
import { timeOfUuid, uuidv7 } from '../core/uuid.ts';
import { ownJson } from './own-json.ts';
import type { Store } from './store.ts';

/** Most items that wait, and most characters of all of them. The oldest are dropped. */
const MOST_ITEMS = 1_000;
const MOST_CHARACTERS = 1_048_576;
/** Older items are not sent: after 7 days the server would not recognize a duplicate. Milliseconds. */
const MOST_AGE_MS = 6 * 86_400_000;

export interface PageQueue extends Queue {
  readonly page: string;
  /** Keeps an item, an event with its insert id. Throws if it is too large. */
  add(kind: Kind, text: string, id: string): void;
}

/**
 * An item in the store. `shared` is empty; where an earlier version of the script has left the item, it is the key of fields that
 * others have too.
 */
export type Stored = readonly [kind: Kind, shared: string, text: string];

export function createQueue(store: Store): PageQueue {
  const page = uuidv7();
  /** Characters of each item, by its id. */
  const sizes = new Map<string, number>();
  let size = 0;
  const keyOf = (id: string): string => `q.${page}.${id}`;

  /** Throws if the item is too old, or another page took it over while this one was away. */
  const read = (id: string): Item => {
    const [kind, , text] = ownJson<Stored>(timeOfUuid(id) > Date.now() - MOST_AGE_MS ? store.get(keyOf(id)) : null);
    return { id, kind, text };
  };

  const remove = (ids: Iterable<string>): void => {
    for (const id of ids) {
      size -= sizes.get(id) ?? 0;
      sizes.delete(id);
      store.remove(keyOf(id));
    }
  };

  /** Oldest first: ids sort by the time when they were made, and items of earlier pages may come late. */
  const ids = (): string[] => [...sizes.keys()].sort();

  return {
    page,
    size: () => sizes.size,
    head(most, except) {
      const items: Item[] = [];
      for (const id of ids()) {
        if (items.length === most) break;
        if (except.has(id)) continue;
        try {
          items.push(read(id));
        } catch {
          remove([id]);
        }
      }
      return items;
    },
    remove,
    add(kind, text, id) {
      // Written by hand: old versions of Prototype.js give all arrays a toJSON.
      const stored = `["${kind}","",${JSON.stringify(text)}]`;
      if (stored.length > MOST_CHARACTERS) throw new Error('too large'); // others would go for it
      store.set(keyOf(id), stored);
      sizes.set(id, stored.length);
      size += stored.length;
      for (const oldest of ids()) if (sizes.size > MOST_ITEMS || size > MOST_CHARACTERS) remove([oldest]);
    },
  };
}
