/** Sessions joined over segments, by slot: a session that begins in one segment may go on in others, in any of them. */
import type { SessionField } from '../../dsl/plan.ts';
import type { QueryContext } from '../query-context.ts';
import { countsBySlot, numbersBySlot } from '../metrics/state-array.ts';
import type { Codebook } from '../rows/field-column.ts';
import { attributeOf, isSessionNumber, type SessionNumber } from './attribute.ts';
import { joinBooks } from './join-books.ts';
import type { SegmentSessions } from './segment-sessions.ts';
import type { SessionSlots } from './session-slots.ts';

/** A field of all sessions, indexed by slot. Place 0 is of no session. */
export type SessionColumn =
  | { readonly kind: 'codes'; readonly codes: Uint32Array; readonly book: Codebook | null }
  | { readonly kind: 'numbers'; readonly values: Float64Array; readonly times: boolean };

/** One event: a row of the segment that is `part` of the set. */
export interface EventPlace {
  readonly part: number;
  readonly row: number;
}

/** What a part of the set came to, by place in it: in arrays by slot a session's event is a number of all places. */
interface Part {
  readonly sessions: SegmentSessions;
  readonly slots: Uint32Array;
  /** The number of its first place. */
  readonly start: number;
}

const BYTES_PER_PLACE = 40; // what a segment's sessions take, and their slots
const CHECK_EVERY = 65_536;

export class SessionSet {
  readonly #context: QueryContext;
  readonly #slots: SessionSlots;
  readonly #parts: Part[] = [];
  readonly #counts;
  readonly #firstTimes;
  readonly #lastTimes;
  /** Places of the segments in which the session's first and last event are. */
  readonly #firsts;
  readonly #lasts;
  readonly #columns = new Map<SessionField, SessionColumn>();
  #places = 0;

  constructor(slots: SessionSlots, context: QueryContext) {
    this.#slots = slots;
    this.#context = context;
    this.#counts = countsBySlot(context.budget);
    this.#firstTimes = numbersBySlot(context.budget);
    this.#lastTimes = numbersBySlot(context.budget);
    this.#firsts = countsBySlot(context.budget);
    this.#lasts = countsBySlot(context.budget);
  }

  /** Slots are 1 to `size`. */
  get size(): number {
    return this.#slots.size;
  }

  /** Times of first events by slot; longer than the slots. */
  get firstTimes(): Float64Array {
    return this.#firstTimes.values;
  }

  /** Adds the sessions of one segment. In any order; where segments come by first time, slots mostly are in that order too. */
  add(sessions: SegmentSessions): void {
    const { formed } = sessions;
    if (formed.codes.length === 0) return;
    this.#context.budget.take(formed.codes.length * BYTES_PER_PLACE);
    const part = { sessions, slots: this.#slots.of(formed), start: this.#places };
    this.#parts.push(part);
    this.#places += formed.codes.length;
    this.#makeRoom();
    this.#join(part);
  }

  column(name: SessionField): SessionColumn {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const made = isSessionNumber(name) ? this.#numbers(name) : this.#coded(name);
    this.#columns.set(name, made);
    return made;
  }

  /** The segments that were added and formed sessions. */
  get parts(): readonly SegmentSessions[] {
    return this.#parts.map(({ sessions }) => sessions);
  }

  firstEvent(slot: number): EventPlace {
    return this.#eventOf(this.#firsts.values[slot]!, 'firstRows');
  }

  /** Whether the first event of one session is before that of the other. */
  beginsBefore(slot: number, other: number): boolean {
    const times = this.#firstTimes.values;
    if (times[slot] !== times[other]) return times[slot]! < times[other]!;
    return this.#arrivalOf(this.firstEvent(slot)) < this.#arrivalOf(this.firstEvent(other));
  }

  #makeRoom(): void {
    for (const state of [this.#counts, this.#firstTimes, this.#lastTimes, this.#firsts, this.#lasts]) {
      state.resize(this.size + 1);
    }
  }

  #join({ sessions: { formed }, slots, start }: Part): void {
    const counts = this.#counts.values;
    const firsts = this.#firsts.values;
    const lasts = this.#lasts.values;
    const firstTimes = this.#firstTimes.values;
    const lastTimes = this.#lastTimes.values;
    for (let at = 0; at < slots.length; at++) {
      if (at % CHECK_EVERY === 0) this.#context.checkpoint();
      const slot = slots[at]!;
      const known = counts[slot]!;
      counts[slot] = known + formed.counts[at]!;
      if (known === 0 || this.#isFirst(slot, start + at, formed.firstTimes[at]!)) {
        firsts[slot] = start + at;
        firstTimes[slot] = formed.firstTimes[at]!;
      }
      if (known === 0 || this.#isLast(slot, start + at, formed.lastTimes[at]!)) {
        lasts[slot] = start + at;
        lastTimes[slot] = formed.lastTimes[at]!;
      }
    }
  }

  #isFirst(slot: number, place: number, time: number): boolean {
    const known = this.#firstTimes.values[slot]!;
    if (time !== known) return time < known;
    return this.#arrivalAt(place, 'firstRows') < this.#arrivalAt(this.#firsts.values[slot]!, 'firstRows');
  }

  #isLast(slot: number, place: number, time: number): boolean {
    const known = this.#lastTimes.values[slot]!;
    if (time !== known) return time > known;
    return this.#arrivalAt(place, 'lastRows') > this.#arrivalAt(this.#lasts.values[slot]!, 'lastRows');
  }

  #arrivalAt(place: number, rows: 'firstRows' | 'lastRows'): number {
    return this.#arrivalOf(this.#eventOf(place, rows));
  }

  #numbers(name: SessionNumber): SessionColumn {
    const [first, last, counts] = [this.#firstTimes.values, this.#lastTimes.values, this.#counts.values];
    const times = name === 'start_time' || name === 'end_time';
    if (times) return { kind: 'numbers', values: name === 'start_time' ? first : last, times };
    const values = new Float64Array(this.size + 1);
    this.#context.budget.take(values.byteLength);
    for (let slot = 1; slot < values.length; slot++) {
      values[slot] = name === 'duration' ? (last[slot]! - first[slot]!) / 1_000 : counts[slot]!;
    }
    return { kind: 'numbers', values, times };
  }

  #coded(name: SessionField): SessionColumn {
    const chosen = this.#choose(name);
    const { codes, book } = joinBooks(
      this.#parts.map(({ sessions }) => sessions.values(name)),
      this.#context,
    );
    const byPlace = new Uint32Array(this.#places + 1);
    for (const [part, own] of codes.entries()) byPlace.set(own, this.#parts[part]!.start + 1);
    for (let slot = 0; slot < chosen.length; slot++) chosen[slot] = byPlace[chosen[slot]!]!;
    return { kind: 'codes', codes: chosen, book };
  }

  /** By slot: the place whose value counts, plus 1; 0 where no event of the session has one. */
  #choose(name: SessionField): Uint32Array {
    const { side } = attributeOf(name);
    const chosen = new Uint32Array(this.size + 1);
    this.#context.budget.take(chosen.byteLength);
    for (const { sessions, slots, start } of this.#parts) {
      this.#context.checkpoint();
      const { codes } = sessions.values(name);
      for (let at = 0; at < codes.length; at++) {
        if (codes[at] === 0) continue;
        const slot = slots[at]!;
        const known = chosen[slot]!;
        if (known === 0 || this.#valueIsBefore(name, start + at, known - 1) === (side === 'first')) {
          chosen[slot] = start + at + 1;
        }
      }
    }
    return chosen;
  }

  /** Whether the value at one place is of an earlier event than that at the other. */
  #valueIsBefore(name: SessionField, place: number, other: number): boolean {
    const [one, two] = [this.#valueAt(name, place), this.#valueAt(name, other)];
    return this.#timeOf(one) === this.#timeOf(two)
      ? this.#arrivalOf(one) < this.#arrivalOf(two)
      : this.#timeOf(one) < this.#timeOf(two);
  }

  #valueAt(name: SessionField, place: number): EventPlace {
    const part = this.#partOf(place);
    const { sessions, start } = this.#parts[part]!;
    return { part, row: sessions.values(name).rows[place - start]! };
  }

  #eventOf(place: number, rows: 'firstRows' | 'lastRows'): EventPlace {
    const part = this.#partOf(place);
    const { sessions, start } = this.#parts[part]!;
    return { part, row: sessions.formed[rows][place - start]! };
  }

  #partOf(place: number): number {
    let low = 0;
    for (let high = this.#parts.length; high - low > 1;) {
      const middle = (low + high) >>> 1;
      if (this.#parts[middle]!.start <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  #timeOf({ part, row }: EventPlace): number {
    return this.#parts[part]!.sessions.segment.times()[row]!;
  }

  #arrivalOf({ part, row }: EventPlace): number {
    return this.#parts[part]!.sessions.segment.arrivals()[row]!;
  }
}
