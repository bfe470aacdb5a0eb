/** The paths of persons while they are read: a place for each person who has the event, nodes in the order they are met. */
import { threshold } from '../../../base/threshold.ts';
import type { Budget } from '../../budget.ts';

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
  readonly #budget: Budget;
  /** One bit per person: has a place. Nobody counts as having one. */
  readonly begun: Int32Array;
  /** One bit per person: the next event may be a node. Only a bit, so that all stay in a processor's cache. */
  readonly opened: Int32Array;
  /** By person who has a place. */
  readonly placeOf: Uint32Array;
  /** Places in use. */
  size = 0;
  persons = new Uint32Array(0);
  /** The last time key inside the window. */
  edges = new Float64Array(0);
  /** The time of the event that begins the path, if it is asked for. */
  anchors: Float64Array<ArrayBuffer> | null = null;
  /** The row of the event that begins the path, in its segment. */
  starts = new Uint32Array(0);
  /** About where the window ends in the current piece. */
  limits = new Int32Array(0);
  /** `stride` per place: how many nodes it has, then their label ids. */
  paths = new Uint32Array(0);
  stride: number;
  /** Keys of nodes, laid out as `paths`, once segments overlap. -Infinity: before everything to come. */
  times: Float64Array<ArrayBuffer> | null = null;
  arrivals: Float64Array<ArrayBuffer> | null = null;

  /** @param persons Person numbers are below this. */
  constructor(persons: number, { depth, anchored }: { depth: number; anchored: boolean }, budget: Budget) {
    if (anchored) this.anchors = new Float64Array(0);
    this.depth = depth;
    this.stride = 1 + Math.min(depth, FIRST_ROOM);
    this.#budget = budget;
    budget.take(Math.ceil(persons * (4 + 2 / 8)));
    this.placeOf = new Uint32Array(persons);
    this.begun = new Int32Array((persons >>> 5) + 1);
    this.opened = new Int32Array((persons >>> 5) + 1);
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
    this.times = new Float64Array(count).fill(-Infinity);
    this.arrivals = new Float64Array(count).fill(-Infinity);
  }

  /** Makes room for twice as many nodes per place. */
  #widen(): void {
    this.#grow(this.persons.length, 1 + Math.min(this.depth, (this.stride - 1) * 2));
  }

  #grow(places: number, stride: number): void {
    const before = this.persons.length * this.#bytesPerPlace(this.stride);
    this.#budget.take(places * this.#bytesPerPlace(stride));
    if (places > this.persons.length) {
      this.persons = grown(this.persons, new Uint32Array(places));
      if (this.anchors !== null) this.anchors = grown(this.anchors, new Float64Array(places));
      this.edges = grown(this.edges, new Float64Array(places));
      this.starts = grown(this.starts, new Uint32Array(places));
      this.limits = grown(this.limits, new Int32Array(places));
    }
    const old = { count: this.size, stride: this.stride };
    this.paths = relaid(this.paths, new Uint32Array(places * stride), old, stride);
    if (this.times !== null && this.arrivals !== null) {
      this.times = relaid(this.times, new Float64Array(places * stride).fill(-Infinity), old, stride);
      this.arrivals = relaid(this.arrivals, new Float64Array(places * stride).fill(-Infinity), old, stride);
    }
    this.stride = stride;
    this.#budget.release(before);
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

type Numbers = Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

function grown<A extends Numbers>(from: A, to: A): A {
  to.set(from);
  return to;
}

function relaid<A extends Numbers>(
  from: A,
  to: A,
  old: { readonly count: number; readonly stride: number },
  stride: number,
): A {
  if (stride === old.stride) return grown(from, to);
  for (let place = 0; place < old.count; place++) {
    to.set(from.subarray(place * old.stride, (place + 1) * old.stride), place * stride);
  }
  return to;
}
