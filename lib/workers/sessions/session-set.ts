/**
 * Sessions joined across segments. Each keeps its place in the segment of its first event; what other segments know of it is
 * added there, and its places in those are dropped. So most stay as their segment has them, without a copy.
 */
import { kept } from '../../base/kept.ts';
import type { SessionField } from '../../dsl/plan/field-names.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { QueryContext, RowContext } from '../query-context.ts';
import { type ValueDictionary, GrowingDictionary } from '../rows/field-column.ts';
import { unreachable } from '../../base/unreachable.ts';
import { attributeOf, isSessionNumber, type SessionNumber } from '../../dsl/plan/session-attribute.ts';
import { NO_EVENT, type FormedSessions, type SegmentSessions, type FormedValues } from './segment-sessions.ts';
import { sharedPlaces, type SharedPlaces } from './shared-places.ts';
import { CHECK_EVERY } from '../check-every.ts';
import { ENTRY_BYTES } from '../budget.ts';
import { NOWHERE } from '../groups/slots.ts';

/** The sessions that begin in one segment: its places, except dropped ones. */
export interface JoinedPart {
  readonly sessions: SegmentSessions;
  readonly formed: FormedSessions;
  /** By place: 1 if the session begins in another segment; null: none does. */
  readonly dropped: Uint8Array | null;
}

/** A field of all sessions: by part, then by place. */
export type SessionColumn =
  | { readonly kind: 'codes'; readonly codes: readonly Uint32Array[]; readonly dictionary: ValueDictionary | null }
  | { readonly kind: 'numbers'; readonly values: readonly Float64Array[]; readonly times: boolean };

/** Sessions that have places in several segments. */
export interface SessionJoins {
  readonly shared: SharedPlaces;
  /** By group of `shared`: which of its places have the session's first and last event. */
  readonly firsts: Uint32Array;
  readonly lasts: Uint32Array;
}

const BYTES_PER_PLACE = 40;

export class SessionSet {
  readonly #context: QueryContext;
  readonly #pieces: SegmentSessions[] = [];
  /** What each of these segments says by itself. */
  readonly pieces: FormedSessions[] = [];
  readonly #columns = new Map<SessionField, SessionColumn>();
  #places = 0;
  #joins: SessionJoins | null = null;
  #parts: readonly JoinedPart[] | null = null;

  constructor(context: QueryContext) {
    this.#context = context;
  }

  get checkpoint(): () => void {
    return this.#context.checkpoint;
  }

  /** Adds the sessions of one segment, in any order. */
  add(sessions: SegmentSessions): void {
    if (this.#joins !== null) throw new Error('a segment comes too late');
    const { length } = sessions.formed.codes;
    if (length === 0) return;
    this.#context.budget.take(length * BYTES_PER_PLACE);
    this.#pieces.push(sessions);
    this.pieces.push(sessions.formed);
    this.#places += length;
  }

  /** The segments in which some session begins or continues, in the order they were added. */
  get parts(): readonly JoinedPart[] {
    return (this.#parts ??= this.#join());
  }

  get joins(): SessionJoins {
    return (this.#joins ??= this.#findJoins());
  }

  column(name: SessionField): SessionColumn {
    return kept(this.#columns, name, () => (isSessionNumber(name) ? this.#numbers(name) : this.#coded(name)));
  }

  /** How many sessions that begin in a range of time have events of several devices. */
  sharedByDevices({ from, to }: TimeRange): number {
    const { shared, firsts } = this.joins;
    const isIn = (time: number): boolean => from <= time && time < to;
    let count = 0;
    const devices = this.#pieces.map((sessions) => sessions.devices());
    for (const [piece, { formed }] of this.#pieces.entries()) {
      const end = lowerBound(formed.firstTimes, to);
      for (let at = lowerBound(formed.firstTimes, from); at < end; at++) count += devices[piece]!.several[at]!;
    }
    const owners = new Uint32Array(shared.count);
    const several = new Uint8Array(shared.count);
    for (let at = 0; at < shared.places.length; at++) {
      const [piece, place, group] = [shared.pieces[at]!, shared.places[at]!, shared.groups[at]!];
      const device = devices[piece]!.devices[place]!;
      const isShared = devices[piece]!.several[place] === 1;
      if (isShared && isIn(this.#formedOf(shared, at).firstTimes[place]!)) count--; // counted once, below
      if (isShared || (owners[group] !== 0 && device !== 0 && owners[group] !== device)) several[group] = 1;
      if (device !== 0) owners[group] = device;
    }
    for (let group = 0; group < shared.count; group++) {
      const first = firsts[group]!;
      const begin = this.#formedOf(shared, first).firstTimes[shared.places[first]!]!;
      if (several[group] === 1 && isIn(begin)) count++;
    }
    return count;
  }

  /** Whether one session's first event is before another's. Both sessions begin at these places. */
  beginsBefore(part: number, place: number, otherPart: number, otherPlace: number): boolean {
    const [one, two] = [this.#pieces[part]!, this.#pieces[otherPart]!];
    const difference = one.formed.firstTimes[place]! - two.formed.firstTimes[otherPlace]!;
    if (difference !== 0) return difference < 0;
    return arrivalAt(one, one.formed.firstRows[place]!) < arrivalAt(two, two.formed.firstRows[otherPlace]!);
  }

  #findJoins(): SessionJoins {
    this.#context.checkpoint();
    const shared = sharedPlaces(this.#pieces, this.#context);
    return {
      shared,
      firsts: this.#choose(shared, 'first', ({ formed }) => ({ rows: formed.firstRows, times: formed.firstTimes })),
      lasts: this.#choose(shared, 'last', ({ formed }) => ({ rows: formed.lastRows, times: formed.lastTimes })),
    };
  }

  #join(): readonly JoinedPart[] {
    const { shared, firsts, lasts } = this.joins;
    const parts = this.#pieces.map(ownPart);
    for (let at = 0; at < shared.places.length; at++) {
      const first = firsts[shared.groups[at]!]!;
      const last = lasts[shared.groups[at]!]!;
      const begin = parts[shared.pieces[first]!]!;
      const place = shared.places[first]!;
      if (at !== first) {
        begin.counts()[place]! += this.#formedOf(shared, at).counts[shared.places[at]!]!;
        parts[shared.pieces[at]!]!.dropped()[shared.places[at]!] = 1;
      } else if (at !== last) begin.lastTimes()[place] = this.#formedOf(shared, last).lastTimes[shared.places[last]!]!;
    }
    return parts.map((part) => part.done());
  }

  #formedOf({ pieces }: SharedPlaces, at: number): FormedSessions {
    return this.#pieces[pieces[at]!]!.formed;
  }

  /**
   * By group: which of its places has the first or the last event. NOWHERE: none has one.
   * @param eventsOf The row of each place's event, NO_EVENT: none, and its time if known without the segment's.
   */
  #choose(
    { pieces, places, groups, count }: SharedPlaces,
    side: 'first' | 'last',
    eventsOf: (sessions: SegmentSessions) => { readonly rows: Uint32Array; readonly times: Float64Array | null },
  ): Uint32Array {
    const chosen = new Uint32Array(count).fill(NOWHERE);
    const events = this.#pieces.map(eventsOf);
    const timeAt = (at: number): number => {
      const [piece, place] = [pieces[at]!, places[at]!];
      const { rows, times } = events[piece]!;
      return times === null ? this.#pieces[piece]!.timeAt(rows[place]!) : times[place]!;
    };
    const arrival = (at: number): number =>
      arrivalAt(this.#pieces[pieces[at]!]!, events[pieces[at]!]!.rows[places[at]!]!);
    for (let at = 0; at < places.length; at++) {
      if (events[pieces[at]!]!.rows[places[at]!] === NO_EVENT) continue;
      const known = chosen[groups[at]!]!;
      const difference = known === NOWHERE ? 0 : timeAt(at) - timeAt(known) || arrival(at) - arrival(known);
      if (known === NOWHERE || difference < 0 === (side === 'first')) chosen[groups[at]!] = at;
    }
    return chosen;
  }

  #numbers(name: SessionNumber): SessionColumn {
    const { parts } = this;
    const numbers = (of: (formed: FormedSessions) => Float64Array, times: boolean): SessionColumn => {
      if (!times) this.#context.budget.take(this.#places * 8);
      return { kind: 'numbers', values: parts.map(({ formed }) => of(formed)), times };
    };
    switch (name) {
      case 'start_time':
        return numbers(({ firstTimes }) => firstTimes, true);
      case 'end_time':
        return numbers(({ lastTimes }) => lastTimes, true);
      case 'duration':
        return numbers(durations, false);
      case 'event_count':
        return numbers(({ counts }) => new Float64Array(counts), false);
      default:
        return unreachable(name);
    }
  }

  #coded(name: SessionField): SessionColumn {
    const { shared, firsts } = this.joins;
    const values = this.#pieces.map((sessions) => sessions.values(name));
    const { codes, dictionary } = joinDictionaries(values, this.#context);
    const chosen = this.#choose(shared, attributeOf(name).side, (sessions) => ({
      rows: sessions.values(name).rows,
      times: null,
    }));
    const own = new Map<number, Uint32Array>();
    for (let group = 0; group < shared.count; group++) {
      const [first, best] = [firsts[group]!, chosen[group]!];
      if (best === first || best === NOWHERE) continue;
      const part = shared.pieces[first]!;
      const changed = own.get(part) ?? codes[part]!.slice();
      own.set(part, changed);
      changed[shared.places[first]!] = codes[shared.pieces[best]!]![shared.places[best]!]!;
    }
    return { kind: 'codes', codes: codes.map((array, part) => own.get(part) ?? array), dictionary };
  }
}

/** The places that are not dropped; null: all. */
export function keptPlaces(dropped: Uint8Array | null): Uint32Array | null {
  if (dropped === null) return null;
  const list = new Uint32Array(dropped.length);
  let length = 0;
  for (let place = 0; place < dropped.length; place++) {
    list[length] = place;
    length += 1 - dropped[place]!;
  }
  return list.subarray(0, length);
}

function arrivalAt({ segment }: SegmentSessions, row: number): number {
  return segment.arrivals()[row]!;
}

/** A part that shares the segment's arrays until it changes them. */
function ownPart(sessions: SegmentSessions): {
  counts(): Uint32Array;
  lastTimes(): Float64Array;
  dropped(): Uint8Array;
  done(): JoinedPart;
} {
  const { formed } = sessions;
  let counts: Uint32Array | null = null;
  let lastTimes: Float64Array | null = null;
  let dropped: Uint8Array | null = null;
  return {
    counts: () => (counts ??= formed.counts.slice()),
    lastTimes: () => (lastTimes ??= formed.lastTimes.slice()),
    dropped: () => (dropped ??= new Uint8Array(formed.codes.length)),
    done: () => ({
      sessions,
      formed: { ...formed, counts: counts ?? formed.counts, lastTimes: lastTimes ?? formed.lastTimes },
      dropped,
    }),
  };
}

/** In seconds. */
function durations({ firstTimes, lastTimes }: FormedSessions): Float64Array {
  const seconds = new Float64Array(firstTimes.length);
  for (let at = 0; at < seconds.length; at++) seconds[at] = (lastTimes[at]! - firstTimes[at]!) / 1_000;
  return seconds;
}

interface JoinedCodes {
  /** In the order of the pieces, each as long as the piece's own. */
  readonly codes: readonly Uint32Array[];
  /** null: there are no values. */
  readonly dictionary: ValueDictionary | null;
}

/** If all are of one dictionary, its codes stay as they are; otherwise the values in use get codes of a new one. */
function joinDictionaries(pieces: readonly FormedValues[], context: RowContext): JoinedCodes {
  const dictionaries = pieces.flatMap(({ dictionary }) => dictionary ?? []);
  const codes = pieces.map((piece) => piece.codes);
  if (new Set(dictionaries.map(({ key }) => key)).size <= 1) return { codes, dictionary: largest(dictionaries) };
  const made = new GrowingDictionary();
  return { codes: pieces.map((piece) => translated(piece, made, context)), dictionary: made };
}

/** With one key: the same values have the same codes, but some dictionaries may have been read earlier. */
function largest(dictionaries: readonly ValueDictionary[]): ValueDictionary | null {
  return dictionaries.reduce<ValueDictionary | null>(
    (most, dictionary) => (most === null || dictionary.size > most.size ? dictionary : most),
    null,
  );
}

function translated({ codes, dictionary }: FormedValues, made: GrowingDictionary, context: RowContext): Uint32Array {
  if (dictionary === null) return codes;
  const known = new Map<number, number>([[0, 0]]);
  const result = new Uint32Array(codes.length);
  for (let at = 0; at < codes.length; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const code = codes[at]!;
    let value = known.get(code);
    if (value === undefined) {
      const before = made.size;
      value = made.code(dictionary.type(code), dictionary.text(code));
      if (made.size > before) context.budget.take(ENTRY_BYTES + 2 * dictionary.text(code).length);
      known.set(code, value);
    }
    result[at] = value;
  }
  return result;
}
