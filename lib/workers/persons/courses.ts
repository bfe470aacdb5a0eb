/** The events of all parts, laid out person by person: one partition at a time, in arrays that are used again for the next. */
import type { RowContext } from '../query-context.ts';
import { bytesPerEvent, type PersonEvents } from './event-list.ts';
import { PARTITION_SHIFT, PARTITIONS } from './partition.ts';
import { sortCourses } from './sort-courses.ts';

/** The events of one segment. */
interface Run {
  readonly events: PersonEvents;
  readonly at: number;
}

/** Persons of a partition who are looked at, numbered from 0 in the order of the segments of their first events. */
export class Members {
  count = 0;
  /** By `person >>> PARTITION_SHIFT`: the number + 1; 0: not looked at. */
  readonly numbers: Uint32Array;

  constructor(persons: number, context: RowContext) {
    const most = Math.ceil(persons / PARTITIONS);
    context.budget.take(most * 4);
    this.numbers = new Uint32Array(most);
  }
}

/** The events of member m are those from `starts[m]` to `starts[m + 1] - 1`, in order. */
export class Courses {
  readonly #runs: readonly Run[];
  /** Whether the order of segments is that of their events; else each member's events are sorted where they are not. */
  readonly #inOrder: boolean;
  readonly #context: RowContext;
  starts = new Uint32Array(0);
  times = new Float64Array(0);
  arrivals: Float64Array | null;
  labels: Uint32Array | null;

  constructor(parts: readonly PersonEvents[], inOrder: boolean, context: RowContext) {
    const runs = parts.flatMap((events) => events.firsts.map((first, at) => ({ first, events, at })));
    this.#runs = runs.sort((a, b) => a.first - b.first);
    this.#inOrder = inOrder;
    this.#context = context;
    this.arrivals = runs.some(({ events }) => events.arrivals !== null) ? new Float64Array(0) : null;
    this.labels = runs.some(({ events }) => events.labels !== null) ? new Uint32Array(0) : null;
  }

  /** Events of all partitions. */
  get total(): number {
    return this.#runs.reduce(
      (sum, { events, at }) => sum + endOf(events, at, PARTITIONS - 1) - startOf(events, at, 0),
      0,
    );
  }

  /** Makes whoever has events in a partition its members. */
  findMembers(partition: number, members: Members): void {
    members.numbers.fill(0);
    members.count = 0;
    for (const { events, at } of this.#runs) {
      numberMembers(events.persons, startOf(events, at, partition), endOf(events, at, partition), members);
    }
  }

  /** Lays out the events of the members of a partition with a counting sort, whose order is that of the segments. */
  layOut(partition: number, { numbers, count }: Members): void {
    this.#makeRoomForMembers(count);
    const { starts } = this;
    for (const { events, at } of this.#runs) {
      countEvents(events.persons, startOf(events, at, partition), endOf(events, at, partition), { numbers, starts });
    }
    for (let m = 1; m < count + 2; m++) starts[m]! += starts[m - 1]!;
    this.#makeRoom(starts[count + 1]!);
    for (const { events, at } of this.#runs) {
      const [from, to] = [startOf(events, at, partition), endOf(events, at, partition)];
      if (this.arrivals === null && this.labels === null) placeTimes(events, from, to, { numbers, courses: this });
      else placeEvents(events, from, to, { numbers, courses: this });
    }
    if (!this.#inOrder) sortCourses(this, count, this.#context);
  }

  #makeRoomForMembers(count: number): void {
    if (count + 2 <= this.starts.length) {
      this.starts.fill(0, 0, count + 2);
      return;
    }
    const room = roomFor(count + 2);
    this.#context.budget.take((room - this.starts.length) * 4);
    this.starts = new Uint32Array(room);
  }

  #makeRoom(total: number): void {
    if (total <= this.times.length) return;
    const room = roomFor(total);
    const bytes = bytesPerEvent({ arrivals: this.arrivals !== null, labels: this.labels !== null });
    this.#context.budget.take((room - this.times.length) * bytes);
    this.times = new Float64Array(room);
    if (this.arrivals !== null) this.arrivals = new Float64Array(room);
    if (this.labels !== null) this.labels = new Uint32Array(room);
  }
}

/** Partitions are of about one size. */
function roomFor(count: number): number {
  return count + (count >>> 3);
}

function startOf({ ends }: PersonEvents, at: number, partition: number): number {
  const place = at * PARTITIONS + partition;
  return place === 0 ? 0 : ends[place - 1]!;
}

function endOf({ ends }: PersonEvents, at: number, partition: number): number {
  return ends[at * PARTITIONS + partition]!;
}

function numberMembers(persons: Uint32Array, from: number, to: number, members: Members): void {
  const { numbers } = members;
  let { count } = members;
  for (let i = from; i < to; i++) {
    const person = persons[i]! >>> PARTITION_SHIFT;
    if (numbers[person] === 0) numbers[person] = ++count;
  }
  members.count = count;
}

// The number of member m is m + 1. Its count goes to starts[m + 2]; once these are summed up, starts[m + 1] is where its
// next event goes, and in the end where those of m + 1 start.

function countEvents(
  persons: Uint32Array,
  from: number,
  to: number,
  { numbers, starts }: { readonly numbers: Uint32Array; readonly starts: Uint32Array },
): void {
  for (let i = from; i < to; i++) {
    const number = numbers[persons[i]! >>> PARTITION_SHIFT]!;
    if (number !== 0) starts[number + 1]!++;
  }
}

interface Placing {
  readonly numbers: Uint32Array;
  readonly courses: Courses;
}

function placeTimes({ persons, times }: PersonEvents, from: number, to: number, { numbers, courses }: Placing): void {
  const { starts, times: placed } = courses;
  for (let i = from; i < to; i++) {
    const number = numbers[persons[i]! >>> PARTITION_SHIFT]!;
    if (number !== 0) placed[starts[number]!++] = times[i]!;
  }
}

function placeEvents(events: PersonEvents, from: number, to: number, { numbers, courses }: Placing): void {
  const { persons, times, arrivals, labels } = events;
  for (let i = from; i < to; i++) {
    const number = numbers[persons[i]! >>> PARTITION_SHIFT]!;
    if (number === 0) continue;
    const at = courses.starts[number]!++;
    courses.times[at] = times[i]!;
    if (courses.arrivals !== null && arrivals !== null) courses.arrivals[at] = arrivals[i]!;
    if (courses.labels !== null && labels !== null) courses.labels[at] = labels[i]!;
  }
}
