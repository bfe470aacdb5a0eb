/** Events as person and time, segment by segment: what persons' timelines are assembled from. */
import type { EventName } from '../../dsl/plan/plan.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { rowsIn, type Positions } from '../groups/positions.ts';
import { floatsAt, Lease, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { partitionEvents, PARTITIONS, type EventArrays, type PartitionedEvents } from './partition.ts';
import { forPersons } from './person-blocks.ts';
import { partitionedTypeEvents } from './type-events.ts';
import type { RowRange } from '../rows/row-set.ts';
import { BLOCK_ROWS } from '../check-every.ts';

/** Plain data that crosses threads. Omits events of nobody. */
export interface PersonEvents extends EventArrays {
  /** First times of the segments that hold the events. */
  readonly firsts: readonly number[];
  /** The events of segment s in partition q end before `ends[s * PARTITIONS + q]`, where the next partition's begin. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

export interface EventListOptions {
  readonly arrivals: boolean;
  readonly labels: boolean;
}

interface Piece {
  readonly first: number;
  readonly events: PartitionedEvents;
}

export class EventList {
  readonly #options: EventListOptions;
  readonly #context: QueryContext;
  readonly #pieces: Piece[] = [];

  constructor(options: EventListOptions, context: QueryContext) {
    this.#options = options;
    this.#context = context;
  }

  /**
   * Adds all events of a name in a range of time and returns true; false if more is needed than who, when and in which order, which
   * is cached.
   */
  addType({ segment }: EventRows, event: EventName, range: TimeRange): boolean {
    const { arrivals, labels } = this.#options;
    const code = event === null ? 0 : this.#context.reader.eventTypes().find(event);
    if (labels || code === 0) return false;
    const events = partitionedTypeEvents(segment, code, this.#context.identity(), arrivals);
    const isWhole = segment.first >= range.from && segment.last < range.to;
    this.#push(segment.first, isWhole ? events : cut(events, range));
    return true;
  }

  /**
   * Plain form: `const p = persons[i]; if (p !== 0) { person[n] = p; time[n] = times[i]; …; n++ }`.
   * @param labels By place, if events are labelled. @param members By row, whose events they are, if not their persons'.
   */
  add(rows: EventRows, positions: Positions, labels: Uint32Array | null, members: Uint32Array | null = null): void {
    const room = rowsIn(positions.spans);
    if (room === 0) return;
    const bytes = room * bytesPerEvent(this.#options);
    this.#context.budget.take(2 * bytes);
    using lease = new Lease();
    const found = {
      persons: lease.words(room),
      times: lease.floats(room),
      arrivals: this.#options.arrivals ? lease.floats(room) : null,
      labels: labels === null ? null : lease.words(room),
    };
    const times = rows.times();
    const arrivals = found.arrivals === null ? null : rows.segment.arrivals();
    let length = 0;
    const all = members ?? rows.persons();
    forPersons({ ...positions, persons: all }, this.#context, ({ vectors, persons, count, first }) => {
      const words = (from: number): Uint32Array => wordsAt(some, primitives.pickSome(persons, count, from, 4, some));
      const floats = (from: number): Float64Array => floatsAt(some, primitives.pickSome(persons, count, from, 8, some));
      const some = ofSomebody.of((BLOCK_ROWS + 1) * 8);
      found.times.set(floats(vectors.moments(times, 'times')), length);
      if (arrivals !== null) found.arrivals?.set(floats(vectors.moments(arrivals, 'arrivals')), length);
      if (labels !== null) found.labels?.set(words(vectors.placed(labels, first)), length);
      const own = words(persons);
      found.persons.set(own, length);
      length += own.length;
    });
    this.#push(rows.segment.first, partitionEvents(found, length));
    this.#context.budget.release(bytes);
  }

  /** In new arrays. */
  partial(): PersonEvents {
    const total = this.#pieces.reduce((sum, { events }) => sum + events.persons.length, 0);
    this.#context.budget.take(total * bytesPerEvent(this.#options));
    const made = {
      persons: new Uint32Array(total),
      times: new Float64Array(total),
      arrivals: this.#options.arrivals ? new Float64Array(total) : null,
      labels: this.#options.labels ? new Uint32Array(total) : null,
    };
    const ends = new Uint32Array(this.#pieces.length * PARTITIONS);
    let start = 0;
    for (const [at, { events }] of this.#pieces.entries()) {
      copyEvents(events, { from: 0, to: events.persons.length }, made, start);
      for (let q = 0; q < PARTITIONS; q++) ends[at * PARTITIONS + q] = start + events.ends[q]!;
      start += events.persons.length;
    }
    return { ...made, firsts: this.#pieces.map(({ first }) => first), ends };
  }

  #push(first: number, events: PartitionedEvents): void {
    if (events.persons.length > 0) this.#pieces.push({ first, events });
  }
}

const ofSomebody = new Scratch();

export function bytesPerEvent({ arrivals, labels }: EventListOptions): number {
  return 12 + (arrivals ? 8 : 0) + (labels ? 4 : 0);
}

/** The events in a range, without labels. */
function cut(events: PartitionedEvents, range: TimeRange): PartitionedEvents {
  const ends = new Uint32Array(PARTITIONS);
  const spans = Array.from(events.ends, (end, q) => {
    const start = q === 0 ? 0 : events.ends[q - 1]!;
    const from = lowerBound(events.times, range.from, start, end);
    return { from, to: lowerBound(events.times, range.to, from, end) };
  });
  const length = rowsIn(spans);
  const made = {
    persons: new Uint32Array(length),
    times: new Float64Array(length),
    arrivals: events.arrivals === null ? null : new Float64Array(length),
    labels: null,
  };
  let start = 0;
  for (const [q, span] of spans.entries()) {
    copyEvents(events, span, made, start);
    ends[q] = start += span.to - span.from;
  }
  return { ...made, ends };
}

function copyEvents(events: EventArrays, { from, to }: RowRange, into: EventArrays, at: number): void {
  into.persons.set(events.persons.subarray(from, to), at);
  into.times.set(events.times.subarray(from, to), at);
  if (events.arrivals !== null) into.arrivals?.set(events.arrivals.subarray(from, to), at);
  if (events.labels !== null) into.labels?.set(events.labels.subarray(from, to), at);
}
