/** The paths of persons while they are read: a place for each person who has the event, nodes in the order they are met. */
import { threshold } from '../../../base/threshold.ts';
import type { Hold } from '../../../primitives/columns.ts';
import type { MemoryArray } from '../../../primitives/memory.ts';
import type { RowContext } from '../../query-context.ts';

/** Nodes that a place has room for at first; few paths are longer, and one that is widens all places. */
const FIRST_ROOM = 8;
/** Places of a table, once it has any. */
const FIRST_PLACES = threshold('places of paths', 1_024, { least: 1, most: 1 << 14 });

/**
 * Places are numbered as persons appear. A node is the id of its label. Time runs in reading order: `to` reads backward, so its
 * keys are times and arrivals with their signs flipped.
 */
export class PathTable {
  readonly depth: number;
  readonly #budget: RowContext['budget'];
  readonly #memory: Hold;
  /** One bit per person: has a place. Nobody counts as having one. */
  readonly begun: Int32Array;
  /** One bit per person: the next event may be a node. Only a bit, so that all stay in a processor's cache. */
  readonly opened: Int32Array;
  /** By person who has a place. */
  readonly placeOf: Uint32Array;
  /** Places in use. */
  size = 0;
  persons: Uint32Array = new Uint32Array(0);
  /** The last time key inside the window. */
  edges: Float64Array = new Float64Array(0);
  /** The time of the event that begins the path, if it is asked for. */
  anchors: Float64Array | null = null;
  /** The row of the event that begins the path, in its segment. */
  starts: Uint32Array = new Uint32Array(0);
  /** About where the window ends in the current piece. */
  limits: Int32Array = new Int32Array(0);
  /** `stride` per place: how many nodes it has, then their label ids. */
  paths: Uint32Array = new Uint32Array(0);
  stride: number;
  /** Keys of nodes, laid out as `paths`, once segments overlap. -Infinity: before everything to come. */
  times: Float64Array | null = null;
  arrivals: Float64Array | null = null;

  /** @param persons Person numbers are below this. */
  constructor(
    persons: number,
    { depth, anchored }: { depth: number; anchored: boolean },
    { budget, memory }: Pick<RowContext, 'budget' | 'memory'>,
  ) {
    if (anchored) this.anchors = new Float64Array(0);
    this.depth = depth;
    this.stride = 1 + Math.min(depth, FIRST_ROOM);
    this.#budget = budget;
    this.#memory = memory;
    budget.take(Math.ceil(persons * (4 + 2 / 8)));
    this.placeOf = memory.words(persons);
    this.begun = memory.integers((persons >>> 5) + 1).fill(0);
    this.opened = memory.integers((persons >>> 5) + 1).fill(0);
    this.begun[0] = 1;
  }

  /** Room for as many more places as this many events can begin, and one. */
  reserve(events: number): void {
    const needed = this.size + Math.min(events, this.placeOf.length - this.size) + 1;
    const places = this.persons.length;
    if (needed > places)
      this.#grow(Math.max(FIRST_PLACES.value, needed, Math.min(places * 2, this.placeOf.length)), this.stride);
  }

  /** Adds a place for a person without one; there must be room, and its start must be set next. */
  add(person: number): number {
    const place = this.size++;
    this.persons[place] = person;
    this.placeOf[person] = place;
    this.begun[person >>> 5]! |= 1 << (person & 31);
    return place;
  }

  /** Sets the first node of a path. */
  start(place: number, label: number): void {
    this.paths[place * this.stride] = 1;
    this.paths[place * this.stride + 1] = label;
  }

  hasBegun(person: number): boolean {
    return ((this.begun[person >>> 5]! >>> (person & 31)) & 1) === 1;
  }

  isOpen(person: number): boolean {
    return ((this.opened[person >>> 5]! >>> (person & 31)) & 1) === 1;
  }

  /** From now on the person's events may be nodes. */
  open(place: number): void {
    const person = this.persons[place]!;
    this.opened[person >>> 5]! |= 1 << (person & 31);
  }

  /** From now on the person's events are not nodes. */
  close(person: number): void {
    this.opened[person >>> 5]! &= ~(1 << (person & 31));
  }

  /** Appends a node if there is room; one that fills the place closes it. */
  append(place: number, person: number, label: number): void {
    let base = place * this.stride;
    const length = this.paths[base]! + 1;
    if (length >= this.depth) this.close(person);
    if (length > this.depth) return; // filled by insertion
    if (length === this.stride) {
      this.#widen();
      base = place * this.stride;
    }
    this.paths[base + length] = label;
    this.paths[base] = length;
  }

  /** Inserts a node where its key belongs; drops what exceeds the depth. Only after `useKeys`. */
  insert(place: number, label: number, time: number, arrival: number): void {
    let length = this.paths[place * this.stride]!;
    if (length + 1 === this.stride && length < this.depth) this.#widen();
    const first = place * this.stride + 1;
    const { paths, times, arrivals } = this;
    let at = length;
    while (at > 1 && isBefore(time, arrival, times![first + at - 1]!, arrivals![first + at - 1]!)) at--;
    if (at === this.depth) return;
    if (length < this.depth) paths[first - 1] = ++length;
    for (const array of [paths, times!, arrivals!]) array.copyWithin(first + at + 1, first + at, first + length - 1);
    paths[first + at] = label;
    times![first + at] = time;
    arrivals![first + at] = arrival;
  }

  /** From now on nodes have keys. */
  useKeys(): void {
    if (this.times !== null) return;
    const count = this.persons.length * this.stride;
    this.#budget.take(count * (8 + 8));
    this.times = this.#memory.floats(count).fill(-Infinity);
    this.arrivals = this.#memory.floats(count).fill(-Infinity);
  }

  /** Makes room for twice as many nodes per place. */
  #widen(): void {
    this.#grow(this.persons.length, 1 + Math.min(this.depth, (this.stride - 1) * 2));
  }

  #grow(places: number, stride: number): void {
    const before = this.persons.length * this.#bytesPerPlace(this.stride);
    const memory = this.#memory;
    this.#budget.take(places * this.#bytesPerPlace(stride));
    if (places > this.persons.length) {
      this.persons = this.#grown(this.persons, memory.words(places));
      if (this.anchors !== null) this.anchors = this.#grown(this.anchors, memory.floats(places));
      this.edges = this.#grown(this.edges, memory.floats(places));
      this.starts = this.#grown(this.starts, memory.words(places));
      this.limits = this.#grown(this.limits, memory.integers(places));
    }
    const old = { count: this.size, stride: this.stride };
    this.paths = this.#relaid(this.paths, memory.words(places * stride), old, stride);
    if (this.times !== null && this.arrivals !== null) {
      this.times = this.#relaid(this.times, memory.floats(places * stride).fill(-Infinity), old, stride);
      this.arrivals = this.#relaid(this.arrivals, memory.floats(places * stride).fill(-Infinity), old, stride);
    }
    this.stride = stride;
    this.#budget.release(before);
  }

  #grown<A extends MemoryArray>(from: A, to: A): A {
    to.set(from);
    this.#memory.give(from.byteOffset);
    return to;
  }

  #relaid<A extends MemoryArray>(
    from: A,
    to: A,
    old: { readonly count: number; readonly stride: number },
    stride: number,
  ): A {
    if (stride === old.stride) return this.#grown(from, to);
    for (let place = 0; place < old.count; place++) {
      to.set(from.subarray(place * old.stride, (place + 1) * old.stride), place * stride);
    }
    this.#memory.give(from.byteOffset);
    return to;
  }

  #bytesPerPlace(stride: number): number {
    const own = 4 + 8 + 4 + 4 + (this.anchors === null ? 0 : 8); // person, edge, start, limit, anchor
    return own + stride * (4 + (this.times === null ? 0 : 8 + 8)); // nodes with their times and arrivals
  }
}

/** The order of events, in the direction of reading. */
export function isBefore(time: number, arrival: number, otherTime: number, otherArrival: number): boolean {
  return time < otherTime || (time === otherTime && arrival < otherArrival);
}
