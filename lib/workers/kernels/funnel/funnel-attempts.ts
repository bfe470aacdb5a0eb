/**
 * The attempts of one person at a time. Each step's events are in order, and a later start never has an earlier next step: an
 * attempt starts looking where the one before it stopped, so all attempts together walk along the events once. Only events of one
 * millisecond that belong to several steps at once take a step back.
 */
import { lowerBound } from '../../../base/lower-bound.ts';
import type { Timelines } from '../../persons/timelines.ts';
import type { NumberedPersons, PartitionRange } from '../../persons/members.ts';
import type { Window } from '../../persons/window.ts';
import type { FunnelCounts } from './funnel-counts.ts';

export interface FunnelTimelines {
  readonly steps: readonly Timelines[];
  readonly excluded: Timelines | null;
  readonly window: Window;
  /** Whether one event may belong to several steps: then arrivals tell which were used. */
  readonly shared: boolean;
  /** Called now and then: one person may have most of the events. */
  readonly checkpoint: () => void;
}

/** Places for the steps of arrivals: several times as many as there are steps, so that few share one. A power of two. */
const USED_PLACES = 1 << 10;
/** Looks for a step between two checkpoints. */
const CHECK_EVERY = 1 << 16;

export class FunnelAttempts {
  readonly #timelines: FunnelTimelines;
  readonly #first: Timelines;
  readonly #later: readonly Timelines[];
  /** The counted attempt: the times of the steps it reached, and the place of its start among those of step 1. */
  readonly #counted: Float64Array;
  #start = 0;
  /** The current attempt: times of its steps. */
  readonly #times: Float64Array;
  /** By step: the arrival of its event, if one event may belong to several steps. */
  readonly #arrivals: Float64Array;
  /** By the low bits of an arrival: the step that may have used it; the arrival of that step decides. */
  readonly #usedBy = new Uint8Array(USED_PLACES);
  #looks = 0;
  /** The step has no more events for later attempts either: none gets further than the last one. */
  #isOver = false;
  /** By step: where the next attempt starts looking. */
  readonly #next: Uint32Array;

  constructor(timelines: FunnelTimelines) {
    const { steps, excluded } = timelines;
    this.#timelines = timelines;
    this.#first = steps[0]!;
    this.#later = excluded === null ? steps.slice(1) : [...steps.slice(1), excluded];
    this.#counted = new Float64Array(steps.length);
    this.#times = new Float64Array(steps.length);
    this.#arrivals = new Float64Array(steps.length);
    this.#next = new Uint32Array(steps.length);
  }

  /** Counts the attempts of a slice's persons who have the first step. */
  countSlice(slice: PartitionRange, members: NumberedPersons, counts: FunnelCounts): void {
    const { steps } = this.#timelines;
    this.#first.layOutFirst(slice, members);
    for (const timelines of this.#later) timelines.layOut(slice, members);
    const { starts, labels } = this.#first;
    const second = steps[1]!.starts;
    for (let member = 0; member < members.count; member++) {
      if (second[member] === second[member + 1]) {
        // Usually there is no second step: the first attempt reaches only its start.
        counts.addStart(labels === null ? 0 : labels[starts[member]!]!);
      } else {
        const reached = this.#count(member);
        counts.add(labels === null ? 0 : labels[this.#start]!, this.#counted, reached);
      }
    }
  }

  /** How many steps a member's counted attempt reaches: the furthest one, the earliest of several. */
  #count(member: number): number {
    const { starts } = this.#first;
    const { steps } = this.#timelines;
    for (let step = 1; step < steps.length; step++) this.#next[step] = steps[step]!.starts[member]!;
    let best = 0;
    this.#isOver = false;
    for (let place = starts[member]!; place < starts[member + 1]!; place++) {
      this.#use(0, place);
      const reached = this.#attempt(member);
      if (reached > best) {
        best = reached;
        this.#start = place;
        for (let step = 0; step < reached; step++) this.#counted[step] = this.#times[step]!;
      }
      if (best === steps.length || this.#isOver) break;
    }
    return best;
  }

  /** Continues from the start as far as possible. */
  #attempt(member: number): number {
    const { steps, excluded, window, shared } = this.#timelines;
    const start = this.#times[0]!;
    let before = start;
    for (let step = 1; step < steps.length; step++) {
      const { starts, times } = steps[step]!;
      const place = this.#find(step, member, before);
      if (place === starts[member + 1]!) {
        this.#isOver = !shared;
        return step;
      }
      const time = times[place]!;
      if (!window.holds(start, time)) return step;
      if (excluded !== null && hasBetween(excluded, member, before, time)) return step;
      this.#use(step, place);
      before = time;
    }
    return steps.length;
  }

  /** Makes an event that of a step. */
  #use(step: number, place: number): void {
    const { times, arrivals } = this.#timelines.steps[step]!;
    this.#times[step] = times[place]!;
    if (!this.#timelines.shared) return;
    const arrival = arrivals![place]!;
    this.#arrivals[step] = arrival;
    this.#usedBy[arrival & (USED_PLACES - 1)] = step;
  }

  /** The first event of the step at or after a time that the attempt has not used; the end of the member's events if none. */
  #find(step: number, member: number, from: number): number {
    if (++this.#looks % CHECK_EVERY === 0) this.#timelines.checkpoint();
    const { starts, times } = this.#timelines.steps[step]!;
    const end = starts[member + 1]!;
    let place = this.#next[step]!;
    while (place < end && times[place]! < from) place++;
    if (this.#timelines.shared) {
      while (place > starts[member]! && times[place - 1]! >= from) place--;
      this.#next[step] = place;
      while (place < end && this.#isUsed(step, place)) place++;
    } else {
      this.#next[step] = place;
    }
    return place;
  }

  /** Whether an earlier step of the attempt used the event; only those of the same millisecond can have. */
  #isUsed(step: number, place: number): boolean {
    const { times, arrivals } = this.#timelines.steps[step]!;
    const [time, arrival] = [times[place]!, arrivals![place]!];
    // Where many events are of one millisecond, a step passes one that is used for each step before it.
    const likely = this.#usedBy[arrival & (USED_PLACES - 1)]!;
    if (likely < step && this.#arrivals[likely] === arrival) return true;
    for (let other = step - 1; other >= 0 && this.#times[other] === time; other--) {
      if (this.#arrivals[other] === arrival) return true;
    }
    return false;
  }
}

/** Whether a member has an event strictly between two times. */
function hasBetween({ starts, times }: Timelines, member: number, after: number, before: number): boolean {
  const end = starts[member + 1]!;
  const next = lowerBound(times, after + 1, starts[member]!, end); // times are whole milliseconds
  return next < end && times[next]! < before;
}
