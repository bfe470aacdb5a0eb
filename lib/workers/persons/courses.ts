/** The events of all parts, put together person by person. */
import type { RowContext } from '../query-context.ts';
import { bytesPerEvent, type PersonEvents } from './event-list.ts';
import { sortCourses } from './sort-courses.ts';

/** Persons that are looked at, numbered from 0 in the order of their first event. */
export interface Members {
  readonly count: number;
  /** Person → number + 1; 0: not looked at. */
  readonly numbers: Uint32Array;
  /** Bit p % 32 of word p / 32: whether person p is looked at. Most are not, and these bits are near at hand. */
  readonly bits: Int32Array;
}

/** The events of member m are those from `starts[m]` to `starts[m + 1] - 1`, in order. */
export interface Courses {
  readonly starts: Uint32Array;
  readonly times: Float64Array;
  readonly arrivals: Float64Array | null;
  readonly labels: Uint32Array | null;
}

/** Events `from` to `to - 1` of a list: those of one segment, or a part of them. */
interface Piece {
  readonly events: PersonEvents;
  readonly from: number;
  readonly to: number;
}

const BLOCK = 1 << 17; // events between two looks at the clock

/**
 * Whoever has one of these events, and those events. @param persons Persons are below this.
 * Uses up the events: their arrays are written to.
 */
export function membersOf(
  parts: readonly PersonEvents[],
  persons: number,
  inOrder: boolean,
  context: RowContext,
): { readonly members: Members; readonly courses: Courses } {
  context.budget.take(persons * 5);
  const numbers = new Uint32Array(persons);
  const bits = new Int32Array((persons >>> 5) + 1);
  const pieces = piecesOf(parts);
  let count = 0;
  for (const piece of pieces) {
    context.checkpoint();
    count = numberPersons(piece, { numbers, bits, count });
  }
  const members = { count, numbers, bits };
  return { members, courses: layOut(pieces, members, inOrder, context) };
}

/** The events of members. Uses up the events: their arrays are written to. */
export function coursesOf(
  parts: readonly PersonEvents[],
  members: Members,
  inOrder: boolean,
  context: RowContext,
): Courses {
  const kept = piecesOf(parts).map((piece) => {
    context.checkpoint();
    return { ...piece, to: keepMembers(piece, members) };
  });
  return layOut(kept, members, inOrder, context);
}

/**
 * A counting sort by member. Its order is that of the pieces: with `inOrder` they come in the order of time, else each
 * member's events are sorted where they do not.
 * @param pieces With numbers instead of persons.
 */
function layOut(pieces: readonly Piece[], { count }: Members, inOrder: boolean, context: RowContext): Courses {
  const total = pieces.reduce((sum, { from, to }) => sum + to - from, 0);
  const [arrivals, labels] = [pieces[0]?.events.arrivals ?? null, pieces[0]?.events.labels ?? null];
  context.budget.take(
    (count + 2) * 4 + total * bytesPerEvent({ arrivals: arrivals !== null, labels: labels !== null }),
  );
  const courses: Courses = {
    starts: new Uint32Array(count + 2),
    times: new Float64Array(total),
    arrivals: arrivals === null ? null : new Float64Array(total),
    labels: labels === null ? null : new Uint32Array(total),
  };
  const { starts } = courses;
  for (const piece of pieces) countEvents(piece, starts);
  for (let m = 1; m < starts.length; m++) starts[m]! += starts[m - 1]!;
  for (const piece of pieces) {
    context.checkpoint();
    place(piece, courses);
  }
  if (!inOrder) sortCourses(courses, count, context);
  return courses;
}

/** By the first time of their segments: where segments do not overlap, that is the order of the events. */
function piecesOf(parts: readonly PersonEvents[]): readonly Piece[] {
  const runs = parts.flatMap((events) =>
    events.runs.map(({ first, end }, at) => ({
      first,
      events,
      from: at === 0 ? 0 : events.runs[at - 1]!.end,
      to: end,
    })),
  );
  runs.sort((a, b) => a.first - b.first);
  return runs.flatMap(({ events, from, to }) => {
    const pieces: Piece[] = [];
    for (let at = from; at < to; at += BLOCK) pieces.push({ events, from: at, to: Math.min(at + BLOCK, to) });
    return pieces;
  });
}

/** Gives persons numbers as they appear, and writes these in their place. How many have one now. */
function numberPersons({ events, from, to }: Piece, { numbers, bits, count }: Members): number {
  const { persons } = events;
  let members = count;
  for (let i = from; i < to; i++) {
    const person = persons[i]!;
    let number = numbers[person]!;
    if (number === 0) {
      numbers[person] = number = ++members;
      bits[person >>> 5]! |= 1 << (person & 31);
    }
    persons[i] = number;
  }
  return members;
}

/** Moves the events of members to the front, with their numbers in the place of persons. Where they end. */
function keepMembers({ events, from, to }: Piece, { numbers, bits }: Members): number {
  const { persons, times, arrivals, labels } = events;
  let end = from;
  for (let i = from; i < to; i++) {
    const person = persons[i]!;
    if (((bits[person >>> 5]! >>> (person & 31)) & 1) === 0) continue;
    persons[end] = numbers[person]!;
    times[end] = times[i]!;
    if (arrivals !== null) arrivals[end] = arrivals[i]!;
    if (labels !== null) labels[end] = labels[i]!;
    end++;
  }
  return end;
}

// The number of member m is m + 1. Its count goes to starts[m + 2]; once these are summed up, starts[m + 1] is where its
// next event goes, and in the end where those of m + 1 start.

function countEvents({ events, from, to }: Piece, starts: Uint32Array): void {
  const { persons: numbers } = events;
  for (let i = from; i < to; i++) starts[numbers[i]! + 1]!++;
}

function place({ events, from, to }: Piece, courses: Courses): void {
  const { persons: numbers, times, arrivals, labels } = events;
  const { starts, times: placed, arrivals: placedArrivals, labels: placedLabels } = courses;
  for (let i = from; i < to; i++) {
    const at = starts[numbers[i]!]!++;
    placed[at] = times[i]!;
    if (placedArrivals !== null && arrivals !== null) placedArrivals[at] = arrivals[i]!;
    if (placedLabels !== null && labels !== null) placedLabels[at] = labels[i]!;
  }
}
