/** A queue in which projects take turns: whoever waits longest since their last turn is next, first come first served within. */
export class FairQueue<T> {
  readonly #projects = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(project: string, item: T): void {
    const own = this.#projects.get(project);
    if (own === undefined) this.#projects.set(project, [item]);
    else own.push(item);
    this.#size++;
  }

  shift(): T | undefined {
    for (const [project, own] of this.#projects) {
      const item = own.shift();
      // To the end of the turns, or out of them.
      this.#projects.delete(project);
      if (own.length > 0) this.#projects.set(project, own);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** The first that is so, of whichever project. */
  find(is: (item: T) => boolean): T | undefined {
    for (const own of this.#projects.values()) {
      const found = own.find(is);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Takes an item out wherever it stands. */
  remove(item: T): boolean {
    for (const [project, own] of this.#projects) {
      const at = own.indexOf(item);
      if (at < 0) continue;
      own.splice(at, 1);
      if (own.length === 0) this.#projects.delete(project);
      this.#size--;
      return true;
    }
    return false;
  }
}
