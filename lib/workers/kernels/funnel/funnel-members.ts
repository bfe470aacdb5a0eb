/**
 * Whose the events of a funnel are where that is not just a person: actors are persons or values of `unit`; with `same`, a seat is
 * an actor with one value of that field. Both are numbered within a part, which must be the only one.
 */
import type { FunnelPlan } from '../../../dsl/plan/plan.ts';
import { FieldIds, idAt } from '../../groups/field-ids.ts';
import { PairIds } from '../../groups/pair-ids.ts';
import { listedRows, type Positions } from '../../groups/positions.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { FunnelPartial } from '../partial-result.ts';

export class FunnelMembers {
  readonly #units: FieldIds | null;
  readonly #values: FieldIds | null;
  /** Seat s is pair s - 1: an actor and a value. */
  readonly #pairs: PairIds | null;
  readonly #context: QueryContext;
  /** By row, of the positions asked for last. */
  #actorOf = new Uint32Array(0);
  #seatOf = new Uint32Array(0);

  constructor({ unit, same }: FunnelPlan, context: QueryContext) {
    this.#context = context;
    this.#units = unit === null ? null : new FieldIds({ field: unit }, context);
    this.#values = same === null ? null : new FieldIds({ field: same }, context);
    this.#pairs = same === null ? null : new PairIds(context);
  }

  /** Members are below this. */
  get size(): number {
    return this.#pairs === null ? this.#actors : this.#pairs.size + 1;
  }

  /** The actor of each of the positions' rows, 0: none; others may have any. By row, until the next are asked for. */
  actors(rows: EventRows, positions: Positions): Uint32Array {
    if (this.#units === null) return rows.persons();
    this.#actorOf = roomOf(this.#actorOf, rows);
    const actors = this.#actorOf;
    const listed = listedRows(positions);
    const ids = this.#units.ofSome(rows, listed);
    for (const row of listed) actors[row] = idAt(ids, row);
    return actors;
  }

  /** The same for seats. @param start Events without a value have a seat, too. */
  seats(rows: EventRows, positions: Positions, start: boolean): Uint32Array {
    const actors = this.actors(rows, positions);
    if (this.#values === null || this.#pairs === null || positions.spans.length === 0) return actors;
    const listed = listedRows(positions);
    const values = this.#values.ofSome(rows, listed);
    this.#seatOf = roomOf(this.#seatOf, rows);
    const seats = this.#seatOf;
    const count = listed.length;
    const [at, firsts, seconds] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
    let some = 0;
    for (const row of listed) {
      const value = idAt(values, row);
      seats[row] = 0;
      if (actors[row] === 0 || (value === 0 && !start)) continue;
      at[some] = row;
      firsts[some] = actors[row]!;
      seconds[some++] = value;
    }
    this.#context.checkpoint();
    const ids = this.#pairs.idsOf(firsts.subarray(0, some), seconds.subarray(0, some));
    for (let k = 0; k < some; k++) seats[at[k]!] = ids[k]! + 1;
    return seats;
  }

  /** What seats are. */
  partial(): FunnelPartial['seats'] {
    if (this.#pairs === null) return null;
    const pairs = this.#pairs;
    const of = (part: Uint32Array): Uint32Array => {
      const made = new Uint32Array(pairs.size + 1);
      made.set(part, 1);
      return made;
    };
    this.#context.budget.take(2 * (pairs.size + 1) * 4);
    return { actors: this.#actors, actorOf: of(pairs.firsts()), values: of(pairs.seconds()) };
  }

  get #actors(): number {
    return this.#units?.size ?? this.#context.identity().size;
  }
}

/** An array with a place for each row: this one if it is long enough. */
const roomOf = (array: Uint32Array<ArrayBuffer>, { rows }: EventRows): Uint32Array<ArrayBuffer> =>
  array.length >= rows ? array : new Uint32Array(rows);
