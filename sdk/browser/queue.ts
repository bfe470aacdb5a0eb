/**
 * The queue of a page, in the store: a key for each item, so that adding one writes only that one, and one for fields that many
 * share.
 *
 * Keys: `q.<page>.<item>`: an item, as JSON; `c.<page>.<item>`: shared fields that this item is the first to have, as JSON.
 */
import type { Item, Kind, Queue } from '../core/item.ts';
import { timeOfUuid, uuidv7 } from '../core/uuid.ts';
import type { Properties } from './capture.ts';
import { ownJson } from './own-json.ts';
import type { Store } from './store.ts';

/** Most items that wait, and most characters of all of them. The oldest are dropped. */
const MOST_ITEMS = 1_000;
const MOST_CHARACTERS = 1_048_576;
/** Older items are not sent: after 7 days the server would not recognize a duplicate. Milliseconds. */
const MOST_AGE_MS = 6 * 86_400_000;

export interface PageQueue extends Queue {
  readonly page: string;
  /**
   * Keeps an item. `shared`: fields that others have too; `own`: those of this one; both as JSON. Own properties win. Throws if it
   * is too large.
   */
  add(kind: Kind, shared: string, own: string, id?: string): void;
}

/** What is known about an item without reading it. */
interface Entry {
  readonly id: string;
  readonly shared: string;
  readonly size: number;
}

interface Fields {
  readonly event_properties?: Properties | undefined;
}

/** An item in the store; `shared` is the key of its shared fields. */
export type Stored = readonly [kind: Kind, shared: string, own: string];

/** An event of its shared and its own fields and properties; own ones win. */
export function joined<Shared extends Fields, Own extends Fields>(shared: Shared, own: Own) {
  return { ...shared, ...own, event_properties: { ...shared.event_properties, ...own.event_properties } };
}

export function createQueue(store: Store): PageQueue {
  const page = uuidv7();
  let entries: Entry[] = [];
  let size = 0;
  /** Keys of shared fields, by their JSON. */
  const keys = new Map<string, string>();
  const keyOf = (id: string): string => `q.${page}.${id}`;

  /** The item as it is sent: its own fields over the shared ones. The insert id of an event is its id. Throws if it is too old. */
  const read = (id: string): Item => {
    const [kind, shared, own] = ownJson<Stored>(
      timeOfUuid(id) > Date.now() - MOST_AGE_MS ? store.get(keyOf(id)) : null,
    );
    if (kind !== 'track') return { id, kind, text: own };
    const event = joined(ownJson<Fields>(store.get(shared)), ownJson<Fields>(own));
    return { id, kind, text: JSON.stringify({ ...event, insert_id: id }) };
  };

  const remove = (ids: ReadonlySet<string>): void => {
    const used = new Set<string>();
    entries = entries.filter((entry) => {
      const gone = ids.has(entry.id);
      if (gone) {
        size -= entry.size;
        store.remove(keyOf(entry.id));
      } else used.add(entry.shared);
      return !gone;
    });
    for (const [text, key] of keys) {
      if (used.has(key)) continue;
      keys.delete(text);
      size -= text.length;
      store.remove(key);
    }
  };

  return {
    page,
    size: () => entries.length,
    head(most, except) {
      const items: Item[] = [];
      const lost = new Set<string>();
      for (const { id } of entries) {
        if (items.length === most) break;
        if (except.has(id)) continue;
        try {
          items.push(read(id));
        } catch {
          lost.add(id); // too old, or another page took it over while this one was away
        }
      }
      if (lost.size) remove(lost);
      return items;
    },
    remove,
    add(kind, shared, own, id = uuidv7()) {
      const known = keys.get(shared);
      const key = known ?? `c.${page}.${id}`;
      // Written by hand: old versions of Prototype.js give all arrays a toJSON.
      const text = `["${kind}","${key}",${JSON.stringify(own)}]`;
      if (shared.length + text.length > MOST_CHARACTERS) throw new Error('too large'); // others would go for it
      if (!known) {
        keys.set(shared, key);
        size += shared.length;
      }
      if (!store.get(key)) store.set(key, shared); // also if another page took everything over
      store.set(keyOf(id), text);
      size += text.length;
      entries.push({ id, shared: key, size: text.length });
      entries.sort((a, b) => (a.id < b.id ? -1 : 1));
      for (const oldest of entries)
        if (entries.length > MOST_ITEMS || size > MOST_CHARACTERS) remove(new Set([oldest.id]));
    },
  };
}
