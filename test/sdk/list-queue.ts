/** A queue in an array, for tests. */
import type { Item, Kind, Queue } from '../../sdk/core/item.ts';
import { uuidv7 } from '../../sdk/core/uuid.ts';

export class ListQueue implements Queue {
  items: Item[] = [];

  add(kind: Kind, value: unknown): void {
    this.items.push({ id: uuidv7(), kind, text: JSON.stringify(value) });
  }

  size(): number {
    return this.items.length;
  }

  head(most: number, except: ReadonlySet<string>): readonly Item[] {
    return this.items.filter(({ id }) => !except.has(id)).slice(0, most);
  }

  remove(ids: ReadonlySet<string>): void {
    this.items = this.items.filter(({ id }) => !ids.has(id));
  }
}
