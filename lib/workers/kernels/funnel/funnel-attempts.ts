/** The attempts of one member at a time: a person, the unit in its place, or one of these with one value of `same`. */
import type { Timelines } from '../../persons/timelines.ts';
import type { NumberedPersons, PartitionRange } from '../../persons/members.ts';
import type { Window } from '../../persons/window.ts';
import type { FunnelPlan } from '../../../dsl/plan/plan.ts';
import type { ActorEvents } from './actor-events.ts';
import { finderOf, type StepFinder, type StepsTaken } from './step-finders.ts';
import { CHECK_EVERY } from '../../check-every.ts';

export interface FunnelTimelines {
  readonly steps: readonly Timelines[];
  readonly order: FunnelPlan['stepOrder'];
  readonly excluded: ActorEvents | null;
  /** All events, if only the next of all may follow. */
  readonly all: ActorEvents | null;
  readonly window: Window;
  /** Whether one event may belong to several steps: then arrivals tell which were used. */
  readonly shared: boolean;
  /** What members are, if they are parts of an actor. */
  readonly seats: Seats | null;
  /** Called now and then: one person may have most of the events. */
  readonly checkpoint: () => void;
}

/** A seat is an actor with one value of what the steps of an attempt have in common. */
export interface Seats {
  actorOf(seat: number): number;
  /** Whether it is that of events without a value, which only start. */
  isEmpty(seat: number): boolean;
}

/** The counted attempt of a member: it took `reached` steps at these times. */
export interface CountedAttempt {
  readonly label: number;
  readonly times: Float64Array;
  /** Of the start. */
  readonly arrival: number;
  readonly reached: number;
  /** The actor, where members are parts of one, or are listed; else 0. */
  readonly actor: number;
}

export class FunnelAttempts {
  readonly #timelines: FunnelTimelines;
  readonly #finder: StepFinder;
  /** The current attempt. */
  readonly #taken: StepsTaken;
  /** Usually there is no second step: the first attempt reaches only its start. */
  readonly #mayEndEarly: boolean;
  readonly #counted: { -readonly [Key in keyof CountedAttempt]: CountedAttempt[Key] };
  #looks = 0;

  constructor(timelines: FunnelTimelines) {
    const { steps, order } = timelines;
    const count = steps.length;
    this.#timelines = timelines;
    this.#taken = { times: new Float64Array(count), arrivals: new Float64Array(count) };
    this.#finder = finderOf(order, { ...timelines, taken: this.#taken });
    this.#mayEndEarly = order !== 'any';
    this.#counted = { label: 0, times: new Float64Array(count), arrival: 0, reached: 0, actor: 0 };
  }

  /** Passes on the counted attempts of a slice's members; what it passes is valid until the next. */
  countSlice(slice: PartitionRange, members: NumberedPersons, count: (attempt: CountedAttempt) => void): void {
    const { steps, seats } = this.#timelines;
    this.#layOut(slice, members);
    const [first, second] = [steps[0]!, steps[1]!.starts];
    const counted = this.#counted;
    for (let member = 0; member < members.count; member++) {
      const seat = seats === null ? 0 : members.persons![member]!;
      if (this.#mayEndEarly && (second[member] === second[member + 1] || seats?.isEmpty(seat) === true)) {
        const start = first.starts[member]!;
        counted.label = first.labels === null ? 0 : first.labels[start]!;
        counted.times[0] = first.times[start]!;
        counted.arrival = first.arrivals === null ? 0 : first.arrivals[start]!;
        counted.reached = 1;
      } else {
        counted.reached = this.#count(member, seats?.isEmpty(seat) === true);
      }
      if (seats !== null) counted.actor = seats.actorOf(seat);
      else if (members.persons !== null) counted.actor = members.persons[member]!;
      count(counted);
    }
  }

  #layOut(slice: PartitionRange, members: NumberedPersons): void {
    const { steps, order, seats, excluded, all } = this.#timelines;
    if (order === 'any') {
      members.clear();
      for (const step of steps) step.enlist(slice, members);
    } else {
      steps[0]!.layOutFirst(slice, members);
    }
    for (const step of order === 'any' ? steps : steps.slice(1)) step.layOut(slice, members);
    const actorOf = seats === null ? null : (member: number) => seats.actorOf(members.persons![member]!);
    for (const events of [excluded, all]) events?.layOut(slice, members, actorOf);
  }

  /** How many steps a member's counted attempt takes: the furthest one, the earliest of several. @param starts Whether it only starts. */
  #count(member: number, starts: boolean): number {
    const { steps } = this.#timelines;
    const [finder, taken, counted] = [this.#finder, this.#taken, this.#counted];
    let best = 0;
    const reachable = finder.enter(member);
    const most = starts ? 1 : reachable;
    for (let step = finder.start(); step >= 0; step = finder.start()) {
      const { labels } = steps[step]!;
      const label = labels === null ? 0 : labels[finder.place]!;
      this.#take(step, 0);
      const reached = this.#attempt(member, most);
      if (reached > best) {
        best = reached;
        counted.label = label;
        counted.arrival = taken.arrivals[0]!;
        for (let at = 0; at < reached; at++) counted.times[at] = taken.times[at]!;
      }
      if (best === most || finder.isOver) break;
    }
    return best;
  }

  /** Continues from the start as far as possible. */
  #attempt(member: number, most: number): number {
    const { steps, excluded, window } = this.#timelines;
    const { times } = this.#taken;
    for (let taken = 1; taken < most; taken++) {
      if (++this.#looks % CHECK_EVERY === 0) this.#timelines.checkpoint();
      const step = this.#finder.next(taken);
      if (step < 0) return taken;
      const time = steps[step]!.times[this.#finder.place]!;
      if (!window.holds(times[0]!, time)) return taken;
      if (excluded !== null && excluded.hasBetween(member, times[taken - 1]!, time)) return taken;
      this.#take(step, taken);
    }
    return most;
  }

  /** Makes the event found the next one of the attempt. */
  #take(step: number, taken: number): void {
    const { times, arrivals } = this.#timelines.steps[step]!;
    const { place } = this.#finder;
    this.#taken.times[taken] = times[place]!;
    if (arrivals !== null) this.#taken.arrivals[taken] = arrivals[place]!;
  }
}
