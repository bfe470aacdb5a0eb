/**
 * Events that attempts look at besides those of their steps: excluded ones, or all. They are of an actor (a person, or the unit in
 * its place), also where a member is an actor with one value of what its steps have in common.
 */
import { lowerBound } from '../../../base/lower-bound.ts';
import { NumberedPersons, placeOf, type PartitionRange } from '../../persons/members.ts';
import type { Timelines } from '../../persons/timelines.ts';
import type { RowContext } from '../../query-context.ts';
import type { RowRange } from '../../rows/row-set.ts';

export class ActorEvents {
  readonly timelines: Timelines;
  /** If members are no actors: where each actor's events are; all are laid out at once. */
  readonly #everybody: { readonly numbers: Uint32Array; readonly shift: number } | null;
  /** By member. */
  #actors: ((member: number) => number) | null = null;

  /** @param actors All actors are below this; null: members are actors. */
  constructor(timelines: Timelines, actors: number | null, context: RowContext) {
    this.timelines = timelines;
    this.#everybody = null;
    if (actors === null) return;
    const members = new NumberedPersons(actors, null, context);
    for (const slice of members.slices()) {
      timelines.layOutFirst(slice, members);
      this.#everybody = { numbers: members.numbers, shift: slice.shift };
    }
  }

  /** @param actorOf The actor of a member of this slice. */
  layOut(slice: PartitionRange, members: NumberedPersons, actorOf: ((member: number) => number) | null): void {
    if (this.#everybody === null) this.timelines.layOut(slice, members);
    this.#actors = actorOf;
  }

  rangeOf(member: number): RowRange {
    const { starts } = this.timelines;
    const at = this.#rowOf(member);
    return at < 0 ? { from: 0, to: 0 } : { from: starts[at]!, to: starts[at + 1]! };
  }

  /** Whether the actor has an event strictly between two times. */
  hasBetween(member: number, after: number, before: number): boolean {
    const { from, to } = this.rangeOf(member);
    const { times } = this.timelines;
    const next = lowerBound(times, after + 1, from, to); // times are whole milliseconds
    return next < to && times[next]! < before;
  }

  #rowOf(member: number): number {
    if (this.#everybody === null) return member;
    const actor = this.#actors?.(member) ?? 0;
    return this.#everybody.numbers[placeOf(actor, this.#everybody.shift)]! - 1;
  }
}
