/** A queue in memory, bounded in items and characters. */
import type { Item, Queue } from '../core/item.ts';

/** Most characters of all items, 32 Mi. */
const MOST_CHARACTERS = 33_554_432;

/** Where a client keeps what it has not sent yet. */
export interface ClientQueue extends Queue {
  /** False: there is no room. */
  add(item: Item): boolean;
  /** Waits until everything is stored, and closes files. */
  close?(): Promise<void>;
}

export class MemoryQueue implements ClientQueue {
  readonly #most: number;
  readonly #items = new Map<string, Item>();
  #characters = 0;

  constructor(most: number) {
    this.#most = most;
  }

  size(): number {
    return this.#items.size;
  }

  add(item: Item): boolean {
    if (this.#items.size >= this.#most || this.#characters + item.text.length > MOST_CHARACTERS) return false;
    this.#items.set(item.id, item);
    this.#characters += item.text.length;
    return true;
  }

  head(most: number, except: ReadonlySet<string>): readonly Item[] {
    const head: Item[] = [];
    for (const item of this.#items.values()) {
      if (head.length === most) break;
      if (!except.has(item.id)) head.push(item);
    }
    return head;
  }

  remove(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      this.#characters -= this.#items.get(id)?.text.length ?? 0;
      this.#items.delete(id);
    }
  }
}
