/** A value in its place in a list. */
export interface Place<T> {
  readonly value: T;
  previous: Place<T> | null;
  next: Place<T> | null;
}

/**
 * Values in order, which come and go in constant time: a Set or a Map but for the garbage. Their tables are made anew every few
 * deletions, each refers to the next, and V8 takes all after one in the old generation for alive until it collects the whole heap.
 */
export class LinkedList<T> {
  #first: Place<T> | null = null;
  #last: Place<T> | null = null;

  get first(): T | null {
    return this.#first?.value ?? null;
  }

  /** The place of a value that is now the last one. */
  push(value: T): Place<T> {
    const place: Place<T> = { value, previous: null, next: null };
    this.#append(place);
    return place;
  }

  /** Does nothing if it is removed already. */
  remove(place: Place<T>): void {
    const { previous, next } = place;
    if (previous === null && this.#first !== place) return;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    place.previous = null;
    place.next = null;
  }

  /** Makes a value the last one; does nothing if it is removed. */
  moveToEnd(place: Place<T>): void {
    if (place.next === null) return;
    this.remove(place);
    this.#append(place);
  }

  clear(): void {
    this.#first = null;
    this.#last = null;
  }

  /** From the first to the last. The one that was just returned may be removed. */
  *[Symbol.iterator](): IterableIterator<T> {
    let place = this.#first;
    while (place !== null) {
      const { value, next } = place;
      yield value;
      place = next;
    }
  }

  #append(place: Place<T>): void {
    place.previous = this.#last;
    if (this.#last === null) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
  }
}
