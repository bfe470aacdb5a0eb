/**
 * Which event continues an attempt: a class for each order of steps. All look at a member's events of each step, in the order of
 * events. What they find is at `place` among those of the step that they return; -1: there is none.
 */
import { unreachable } from '../../../base/unreachable.ts';
import type { FunnelPlan } from '../../../dsl/plan/plan.ts';
import type { Timelines } from '../../persons/timelines.ts';
import type { ActorEvents } from './actor-events.ts';

/** The current attempt, by how many steps were taken before: when, and by which event if that matters. */
export interface StepsTaken {
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
}

export interface StepFinder {
  readonly place: number;
  /** No later start of the member gets further than the last one. */
  readonly isOver: boolean;
  /** Begins with the events of a member. Returns how many steps it may take at most. */
  enter(member: number): number;
  /** The step of the member's next start. */
  start(): number;
  /** The step of the event that the attempt takes next. @param taken How many it has. */
  next(taken: number): number;
}

export interface FinderOptions {
  readonly steps: readonly Timelines[];
  readonly taken: StepsTaken;
  /** Whether one event may belong to several steps: then arrivals tell which were used. */
  readonly shared: boolean;
  /** All events, if only the next of all may follow. */
  readonly all: ActorEvents | null;
}

export function finderOf(order: FunnelPlan['stepOrder'], finding: FinderOptions): StepFinder {
  switch (order) {
    case 'given':
      return new GivenOrder(finding);
    case 'strict':
      return new StrictOrder(finding);
    case 'any':
      return new AnyOrder(finding);
    default:
      return unreachable(order);
  }
}

/** Places for the steps of arrivals: several times as many as there are steps, so that few share one. A power of two. */
const USED_PLACES = 1 << 10;

/**
 * Each next step is the earliest event of it at or after the step before that the attempt has not used. A later start never has an
 * earlier next step: an attempt starts looking where the one before it stopped, so all attempts together walk along the events
 * once. Only events of one millisecond that belong to several steps at once take a step back.
 */
class GivenOrder implements StepFinder {
  readonly #steps: readonly Timelines[];
  readonly #taken: StepsTaken;
  readonly #shared: boolean;
  /** By step: where the next attempt starts looking. */
  readonly #next: Uint32Array;
  /** By the low bits of an arrival: the step that may have used it; the arrival of that step decides. */
  readonly #usedBy = new Uint8Array(USED_PLACES);
  #member = 0;
  place = 0;
  /** A step has no more events for later attempts either. */
  isOver = false;

  constructor({ steps, taken, shared }: FinderOptions) {
    this.#steps = steps;
    this.#taken = taken;
    this.#shared = shared;
    this.#next = new Uint32Array(steps.length);
  }

  enter(member: number): number {
    this.#member = member;
    this.isOver = false;
    for (let step = 0; step < this.#steps.length; step++) this.#next[step] = this.#steps[step]!.starts[member]!;
    return this.#steps.length;
  }

  start(): number {
    this.place = this.#next[0]!++;
    if (this.place >= this.#steps[0]!.starts[this.#member + 1]!) return -1;
    this.#use(0);
    return 0;
  }

  next(step: number): number {
    const { starts, times } = this.#steps[step]!;
    const end = starts[this.#member + 1]!;
    const from = this.#taken.times[step - 1]!;
    let place = this.#next[step]!;
    while (place < end && times[place]! < from) place++;
    if (this.#shared) {
      while (place > starts[this.#member]! && times[place - 1]! >= from) place--;
      this.#next[step] = place;
      while (place < end && this.#isUsed(step, place)) place++;
    } else {
      this.#next[step] = place;
    }
    this.place = place;
    if (place === end) {
      this.isOver = !this.#shared;
      return -1;
    }
    this.#use(step);
    return step;
  }

  /** Makes the event found that of a step. */
  #use(step: number): void {
    if (this.#shared) this.#usedBy[this.#steps[step]!.arrivals![this.place]! & (USED_PLACES - 1)] = step;
  }

  /** Whether an earlier step of the attempt used the event; only those of the same millisecond can have. */
  #isUsed(step: number, place: number): boolean {
    const { times, arrivals } = this.#steps[step]!;
    const [time, arrival] = [times[place]!, arrivals![place]!];
    const taken = this.#taken;
    // Where many events are of one millisecond, a step passes one that is used for each step before it.
    const likely = this.#usedBy[arrival & (USED_PLACES - 1)]!;
    if (likely < step && taken.arrivals[likely] === arrival) return true;
    for (let other = step - 1; other >= 0 && taken.times[other] === time; other--) {
      if (taken.arrivals[other] === arrival) return true;
    }
    return false;
  }
}

/** The next event of all must be of the next step. */
class StrictOrder implements StepFinder {
  readonly #steps: readonly Timelines[];
  readonly #all: ActorEvents;
  #member = 0;
  #next = 0;
  /** Of the start, among all events. */
  #at = 0;
  place = 0;
  readonly isOver = false;

  constructor({ steps, all }: FinderOptions) {
    if (all === null) throw new Error('a strict order without all events');
    this.#steps = steps;
    this.#all = all;
  }

  enter(member: number): number {
    this.#member = member;
    this.#next = this.#steps[0]!.starts[member]!;
    return this.#steps.length;
  }

  start(): number {
    const first = this.#steps[0]!;
    this.place = this.#next++;
    if (this.place >= first.starts[this.#member + 1]!) return -1;
    const { from, to } = this.#all.rangeOf(this.#member);
    const { times, arrivals } = first;
    this.#at = placeFrom(this.#all.timelines, { from, to }, times[this.place]!, arrivals![this.place]!);
    return 0;
  }

  next(step: number): number {
    const { timelines: all } = this.#all;
    const at = this.#at + step;
    if (at >= this.#all.rangeOf(this.#member).to) return -1;
    const [time, arrival] = [all.times[at]!, all.arrivals![at]!];
    const { starts, times, arrivals } = this.#steps[step]!;
    const to = starts[this.#member + 1]!;
    this.place = placeFrom(this.#steps[step]!, { from: starts[this.#member]!, to }, time, arrival);
    const isThis = this.place < to && times[this.place] === time && arrivals![this.place] === arrival;
    return isThis ? step : -1;
  }
}

/** Every event of any step starts an attempt; each later one fills the first step that it fits and that is not filled yet. */
class AnyOrder implements StepFinder {
  readonly #steps: readonly Timelines[];
  readonly #taken: StepsTaken;
  /** By step: its first event that was no start yet. */
  readonly #next: Uint32Array;
  /** By step: the event to choose from; behind the last one there is none. */
  readonly #places: Uint32Array;
  readonly #filled: Uint8Array;
  #member = 0;
  place = 0;
  readonly isOver = false;

  constructor({ steps, taken }: FinderOptions) {
    this.#steps = steps;
    this.#taken = taken;
    this.#next = new Uint32Array(steps.length);
    this.#places = new Uint32Array(steps.length);
    this.#filled = new Uint8Array(steps.length);
  }

  enter(member: number): number {
    this.#member = member;
    let some = 0;
    for (let step = 0; step < this.#steps.length; step++) {
      this.#next[step] = this.#steps[step]!.starts[member]!;
      if (this.#next[step]! < this.#endOf(step)) some++;
    }
    return some;
  }

  start(): number {
    this.#filled.fill(0);
    this.#places.set(this.#next);
    const step = this.#earliest();
    if (step < 0) return -1;
    const { times, arrivals } = this.#steps[step]!;
    const [time, arrival] = [times[this.place]!, arrivals![this.place]!];
    for (let own = 0; own < this.#steps.length; own++) {
      const { times: others, arrivals: otherArrivals } = this.#steps[own]!;
      const at = this.#next[own]!;
      // An event of several steps is one start.
      if (at < this.#endOf(own) && others[at] === time && otherArrivals![at] === arrival) this.#next[own]!++;
    }
    this.#filled[step] = 1;
    return step;
  }

  next(taken: number): number {
    const [time, arrival] = [this.#taken.times[taken - 1]!, this.#taken.arrivals[taken - 1]!];
    for (let own = 0; own < this.#steps.length; own++) {
      const to = this.#endOf(own);
      const from = this.#next[own]!;
      this.#places[own] =
        this.#filled[own] === 1 || from === to ? to : placeFrom(this.#steps[own]!, { from, to }, time, arrival + 1);
    }
    const step = this.#earliest();
    if (step >= 0) this.#filled[step] = 1;
    return step;
  }

  /** The first step of the earliest of the events at `places`. */
  #earliest(): number {
    let found = -1;
    let time = Infinity;
    let arrival = Infinity;
    for (let step = 0; step < this.#steps.length; step++) {
      const place = this.#places[step]!;
      if (place >= this.#endOf(step)) continue;
      const { times, arrivals } = this.#steps[step]!;
      if (times[place]! > time || (times[place] === time && arrivals![place]! >= arrival)) continue;
      found = step;
      time = times[place]!;
      arrival = arrivals![place]!;
      this.place = place;
    }
    return found;
  }

  #endOf(step: number): number {
    return this.#steps[step]!.starts[this.#member + 1]!;
  }
}

/** The first place from which on events are not before a time and an arrival; arrivals are whole numbers. */
function placeFrom(
  { times, arrivals }: Timelines,
  { from, to }: { readonly from: number; readonly to: number },
  time: number,
  arrival: number,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const isBefore = times[middle]! < time || (times[middle] === time && arrivals![middle]! < arrival);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}
