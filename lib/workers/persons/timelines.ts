/** The events of all parts, laid out person by person: some partitions at a time, in arrays that the next ones reuse. */
import { Lease } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';
import { bytesPerEvent, type PersonEvents } from './event-list.ts';
import { placeOf, type NumberedPersons, type PartitionRange } from './members.ts';
import { PARTITIONS } from './partition.ts';
import { threshold } from '../../base/threshold.ts';
import type { RowRange } from '../rows/row-set.ts';
import { CHECK_EVERY } from '../check-every.ts';

/** The events of one segment. */
interface Run {
  readonly events: PersonEvents;
  readonly at: number;
}

/** The events of member m are those from `starts[m]` to `starts[m + 1] - 1`, in order. */
export class Timelines {
  readonly #runs: readonly Run[];
  /** Whether segments are in the order of their events; else each member's events are sorted if they are not. */
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

  /** Makes everybody with events in a slice a member, and lays out these events. */
  layOutFirst(slice: PartitionRange, members: NumberedPersons): void {
    members.clear();
    const numbered = this.#runs.map(({ events, at }) => {
      const span = spanOf(events, at, slice);
      numberMembers(events.persons, span, members);
      return { events, ...span };
    });
    this.#layOut(numbered, members.count);
  }

  /** Makes everybody with events in a slice a member, too; these events are laid out later. */
  enlist(slice: PartitionRange, members: NumberedPersons): void {
    for (const { events, at } of this.#runs) {
      const { from, to, shift } = spanOf(events, at, slice);
      for (let i = from; i < to; i++) enroll(events.persons[i]!, shift, members);
    }
  }

  /** Lays out the events of the members of a slice. */
  layOut(slice: PartitionRange, { numbers, count }: NumberedPersons): void {
    const numbered = this.#runs.map(({ events, at }) => {
      const span = spanOf(events, at, slice);
      return { events, from: span.from, to: keepMembers(events, span, numbers) };
    });
    this.#layOut(numbered, count);
  }

  /** A counting sort by member, which keeps the order of segments. */
  #layOut(numbered: readonly Numbered[], count: number): void {
    this.#makeRoomForMembers(count);
    const { starts } = this;
    for (const { events, from, to } of numbered) countEvents(events.persons, from, to, starts);
    for (let m = 1, sum = 0; m < count + 2; m++) starts[m] = sum += starts[m]!;
    this.#makeRoom(starts[count + 1]!);
    const timesOnly = this.arrivals === null && this.labels === null;
    for (const events of numbered) {
      if (timesOnly) placeTimes(events, this);
      else placeEvents(events, this);
    }
    if (!this.#inOrder) sortTimelines(this, count, this.#context);
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

/** Partitions have about the same size. */
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

interface EventRange extends RowRange {
  readonly shift: number;
}

function spanOf(events: PersonEvents, at: number, { first, last, shift }: PartitionRange): EventRange {
  return { from: startOf(events, at, first), to: endOf(events, at, last), shift };
}

// Events are numbered in place: a member's number overwrites its person. They are read only once.

/** The events `from` to `to - 1` have member numbers instead of persons. */
interface Numbered extends RowRange {
  readonly events: PersonEvents;
}

function numberMembers(persons: Uint32Array, { from, to, shift }: EventRange, members: NumberedPersons): void {
  for (let i = from; i < to; i++) persons[i] = enroll(persons[i]!, shift, members);
}

/** The number of a person, who gets the next one if it has none. */
function enroll(person: number, shift: number, members: NumberedPersons): number {
  const place = placeOf(person, shift);
  const number = members.numbers[place]!;
  if (number !== 0) return number;
  if (members.persons !== null) members.persons[members.count] = person;
  return (members.numbers[place] = ++members.count);
}

/** Moves the events of members to the front of a span. Returns where they end. */
function keepMembers(events: PersonEvents, { from, to, shift }: EventRange, numbers: Uint32Array): number {
  const { persons, times, arrivals, labels } = events;
  if (arrivals !== null || labels !== null) return keepAll(events, { from, to, shift }, numbers);
  let end = from;
  for (let i = from; i < to; i++) {
    const number = numbers[placeOf(persons[i]!, shift)]!;
    persons[end] = number; // others are overwritten by the next one: no branch to mispredict
    times[end] = times[i]!;
    end += number === 0 ? 0 : 1;
  }
  return end;
}

function keepAll(events: PersonEvents, { from, to, shift }: EventRange, numbers: Uint32Array): number {
  const { persons, times, arrivals, labels } = events;
  let end = from;
  for (let i = from; i < to; i++) {
    const number = numbers[placeOf(persons[i]!, shift)]!;
    if (number === 0) continue;
    persons[end] = number;
    times[end] = times[i]!;
    if (arrivals !== null) arrivals[end] = arrivals[i]!;
    if (labels !== null) labels[end] = labels[i]!;
    end++;
  }
  return end;
}

// The number of member m is m + 1. Its count goes to starts[m + 2]; once these are summed up, starts[m + 1] is where its next
// event goes, and in the end where those of m + 1 start.

function countEvents(numbers: Uint32Array, from: number, to: number, starts: Uint32Array): void {
  for (let i = from; i < to; i++) starts[numbers[i]! + 1]!++;
}

function placeTimes({ events, from, to }: Numbered, { starts, times: placed }: Timelines): void {
  const { persons: numbers, times } = events;
  for (let i = from; i < to; i++) placed[starts[numbers[i]!]!++] = times[i]!;
}

function placeEvents({ events, from, to }: Numbered, timelines: Timelines): void {
  const { persons: numbers, times, arrivals, labels } = events;
  for (let i = from; i < to; i++) {
    const at = timelines.starts[numbers[i]!]!++;
    timelines.times[at] = times[i]!;
    if (timelines.arrivals !== null && arrivals !== null) timelines.arrivals[at] = arrivals[i]!;
    if (timelines.labels !== null && labels !== null) timelines.labels[at] = labels[i]!;
  }
}

/** Up to this many events are sorted by insertion: most persons have few, and late ones are near their place. */
const FEW = threshold('events sorted by insertion', 24, { least: 1 });

/** The events of member m are those from `starts[m]` to `starts[m + 1] - 1`. */
interface MemberEvents {
  readonly starts: Uint32Array;
  readonly times: Float64Array;
  readonly arrivals: Float64Array | null;
  readonly labels: Uint32Array | null;
}

function sortTimelines(timelines: MemberEvents, members: number, context: RowContext): void {
  const { starts } = timelines;
  for (let member = 0; member < members; member++) {
    if (member % CHECK_EVERY === 0) context.checkpoint();
    const from = starts[member]!;
    const to = starts[member + 1]!;
    if (to - from < 2 || isSorted(timelines, from, to)) continue;
    if (to - from <= FEW.value) insertInOrder(timelines, from, to);
    else sortMany(timelines, from, to, context);
  }
}

/** Negative if event a is before event b. */
function compare({ times, arrivals }: MemberEvents, a: number, b: number): number {
  return times[a]! - times[b]! || (arrivals === null ? 0 : arrivals[a]! - arrivals[b]!);
}

function isSorted(timelines: MemberEvents, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) if (compare(timelines, at - 1, at) > 0) return false;
  return true;
}

function insertInOrder(timelines: MemberEvents, from: number, to: number): void {
  for (let at = from + 1; at < to; at++) {
    for (let k = at; k > from && compare(timelines, k - 1, k) > 0; k--) swap(timelines, k - 1, k);
  }
}

function swap({ times, arrivals, labels }: MemberEvents, a: number, b: number): void {
  swapIn(times, a, b);
  if (arrivals !== null) swapIn(arrivals, a, b);
  if (labels !== null) swapIn(labels, a, b);
}

function swapIn(values: Float64Array | Uint32Array, a: number, b: number): void {
  const held = values[a]!;
  values[a] = values[b]!;
  values[b] = held;
}

function sortMany(timelines: MemberEvents, from: number, to: number, context: RowContext): void {
  const bytes = (to - from) * 16;
  context.budget.take(bytes);
  using lease = new Lease();
  const [order, sorted] = [lease.words(to - from), lease.floats(to - from)];
  for (let i = 0; i < order.length; i++) order[i] = from + i;
  order.sort((a, b) => compare(timelines, a, b) || a - b);
  const { times, arrivals, labels } = timelines;
  for (const values of [times, arrivals, labels]) {
    if (values === null) continue;
    for (let i = 0; i < order.length; i++) sorted[i] = values[order[i]!]!;
    values.set(sorted, from);
  }
  context.budget.release(bytes);
}
