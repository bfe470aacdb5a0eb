/** The paths of persons while they are read: a place for each person who has the event, nodes in the order they are met. */
import type { Budget } from '../budget.ts';

/** Nodes that a place has room for at first; few paths are longer, and one that is makes room for all. */
const FIRST_STRIDE = 8;
const FIRST_PLACES = 1_024;
const BYTES_PER_PLACE = 4 + 8 + 4 + 2;
const BYTES_PER_NODE = 4;
const BYTES_PER_KEY = 2 * 8;

/**
 * Places are numbered as persons appear. A node is the id of its label. Time runs along the reading: `to` reads backward, so
 * its keys are times and arrivals with their signs turned.
 */
export class PathTable {
  readonly depth: number;
  readonly #budget: Budget;
  /** Person → place + 1; 0: none. */
  readonly placeOf: Uint32Array;
  /** Person → 1 where the next event may be a node. */
  readonly open: Uint8Array;
  /** Places in use. */
  size = 0;
  /** Nodes that a place has room for. */
  stride: number;
  persons = new Uint32Array(0);
  /** The last key of time that is inside the window. */
  edges = new Float64Array(0);
  /** The row of the event that begins the path, in its segment. */
  starts = new Uint32Array(0);
  lengths = new Uint16Array(0);
  /** Label ids, `stride` a place. */
  nodes = new Uint32Array(0);
  /** Keys of nodes, as `nodes`, once segments were met that overlap. -Infinity: before all that is to come. */
  times: Float64Array<ArrayBuffer> | null = null;
  arrivals: Float64Array<ArrayBuffer> | null = null;

  /** @param persons Numbers of persons are below this. */
  constructor(persons: number, depth: number, budget: Budget) {
    this.depth = depth;
    this.stride = Math.min(depth, FIRST_STRIDE);
    this.#budget = budget;
    budget.take(persons * 5);
    this.placeOf = new Uint32Array(persons);
    this.open = new Uint8Array(persons);
  }

  /** A new place, with the event that begins the path as its first node. */
  add(person: number, start: number, label: number): number {
    if (this.size === this.persons.length) this.#grow(Math.max(FIRST_PLACES, this.size * 2), this.stride);
    const place = this.size++;
    this.persons[place] = person;
    this.starts[place] = start;
    this.lengths[place] = 1;
    this.nodes[place * this.stride] = label;
    this.placeOf[person] = place + 1;
    return place;
  }

  /** Appends a node to a place that is not full. */
  append(place: number, label: number): void {
    const length = this.lengths[place]!;
    if (length === this.stride) this.widen();
    this.nodes[place * this.stride + length] = label;
    this.lengths[place] = length + 1;
    if (length + 1 === this.depth) this.open[this.persons[place]!] = 0;
  }

  /** Puts a node where its key belongs; drops what is beyond the depth. Only after `useKeys`. */
  insert(place: number, label: number, time: number, arrival: number): void {
    let length = this.lengths[place]!;
    if (length === this.stride && length < this.depth) this.widen();
    const base = place * this.stride;
    const [times, arrivals] = [this.times!, this.arrivals!];
    let at = length;
    while (at > 1 && isBefore(time, arrival, times[base + at - 1]!, arrivals[base + at - 1]!)) at--;
    if (at === this.depth) return;
    if (length < this.depth) this.lengths[place] = ++length;
    this.nodes.copyWithin(base + at + 1, base + at, base + length - 1);
    times.copyWithin(base + at + 1, base + at, base + length - 1);
    arrivals.copyWithin(base + at + 1, base + at, base + length - 1);
    this.nodes[base + at] = label;
    times[base + at] = time;
    arrivals[base + at] = arrival;
  }

  /** From now on nodes have keys. */
  useKeys(): void {
    if (this.times !== null) return;
    const count = this.persons.length * this.stride;
    this.#budget.take(count * BYTES_PER_KEY);
    this.times = new Float64Array(count).fill(-Infinity);
    this.arrivals = new Float64Array(count).fill(-Infinity);
  }

  /** Room for twice as many nodes a place. */
  widen(): void {
    this.#grow(this.persons.length, Math.min(this.depth, this.stride * 2));
  }

  #grow(places: number, stride: number): void {
    const before = this.persons.length * this.#bytesPerPlace(this.stride);
    this.#budget.take(places * this.#bytesPerPlace(stride));
    if (places > this.persons.length) {
      this.persons = grown(this.persons, new Uint32Array(places));
      this.edges = grown(this.edges, new Float64Array(places));
      this.starts = grown(this.starts, new Uint32Array(places));
      this.lengths = grown(this.lengths, new Uint16Array(places));
    }
    const old = { count: this.size, stride: this.stride };
    this.nodes = relaid(this.nodes, new Uint32Array(places * stride), old, stride);
    if (this.times !== null && this.arrivals !== null) {
      this.times = relaid(this.times, new Float64Array(places * stride).fill(-Infinity), old, stride);
      this.arrivals = relaid(this.arrivals, new Float64Array(places * stride).fill(-Infinity), old, stride);
    }
    this.stride = stride;
    this.#budget.release(before);
  }

  #bytesPerPlace(stride: number): number {
    return BYTES_PER_PLACE + stride * (BYTES_PER_NODE + (this.times === null ? 0 : BYTES_PER_KEY));
  }
}

/** The order of events, along the reading. */
export function isBefore(time: number, arrival: number, otherTime: number, otherArrival: number): boolean {
  return time < otherTime || (time === otherTime && arrival < otherArrival);
}

type Numbers = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

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
