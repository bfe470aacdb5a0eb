/** The events of all parts, put together person by person. */
import type { RowContext } from '../query-context.ts';
import { bytesPerEvent, type PersonEvents } from './event-list.ts';
import { sortCourses } from './sort-courses.ts';

/** Persons that are looked at, numbered from 0 in the order of their first event. */
export interface Members {
  readonly count: number;
  /** Person → number + 1; 0: not looked at. */
  readonly numbers: Uint32Array;
}

/** The events of member m are those from `starts[m]` to `starts[m + 1] - 1`, in order. */
export interface Courses {
  readonly starts: Uint32Array;
  readonly times: Float64Array;
  readonly arrivals: Float64Array | null;
  readonly labels: Uint32Array | null;
}

/** Events `from` to `to - 1` of a list: those of one segment, or of a whole part. */
interface Piece {
  readonly events: PersonEvents;
  readonly from: number;
  readonly to: number;
}

const BLOCK = 1 << 17; // events between two looks at the clock

/** Whoever has one of these events. @param persons Persons are below this. */
export function membersOf(parts: readonly PersonEvents[], persons: number, context: RowContext): Members {
  context.budget.take(persons * 4);
  const numbers = new Uint32Array(persons);
  let count = 0;
  for (const { events, from, to } of piecesOf(parts)) {
    context.checkpoint();
    count = numberPersons(events.persons, { from, to }, numbers, count);
  }
  return { count, numbers };
}

/**
 * A counting sort by member. Its order is that of the pieces: with `inOrder` they come in the order of time, else each
 * person's events are sorted where they do not.
 */
export function coursesOf(
  parts: readonly PersonEvents[],
  members: Members,
  inOrder: boolean,
  context: RowContext,
): Courses {
  const pieces = piecesOf(parts);
  context.budget.take((members.count + 2) * 4);
  const starts = new Uint32Array(members.count + 2);
  for (const piece of pieces) {
    context.checkpoint();
    countEvents(piece, members.numbers, starts);
  }
  for (let m = 1; m < starts.length; m++) starts[m]! += starts[m - 1]!;
  const total = starts.at(-1)!;
  const arrivals = parts.some((part) => part.arrivals !== null);
  const labels = parts.some((part) => part.labels !== null);
  context.budget.take(total * bytesPerEvent({ arrivals, labels }));
  const courses: Courses = {
    starts,
    times: new Float64Array(total),
    arrivals: arrivals ? new Float64Array(total) : null,
    labels: labels ? new Uint32Array(total) : null,
  };
  for (const piece of pieces) {
    context.checkpoint();
    if (arrivals || labels) placeEvents(piece, members.numbers, courses);
    else placeTimes(piece, members.numbers, starts, courses.times);
  }
  if (!inOrder) sortCourses(courses, members.count, context);
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

function numberPersons(
  persons: Uint32Array,
  { from, to }: { readonly from: number; readonly to: number },
  numbers: Uint32Array,
  count: number,
): number {
  let members = count;
  for (let i = from; i < to; i++) {
    const person = persons[i]!;
    if (numbers[person] === 0) numbers[person] = ++members;
  }
  return members;
}

// The number of member m is m + 1. Its count goes to starts[m + 2]; once these are summed up, starts[m + 1] is where its
// next event goes, and in the end where those of m + 1 start.

function countEvents({ events, from, to }: Piece, numbers: Uint32Array, starts: Uint32Array): void {
  const { persons } = events;
  for (let i = from; i < to; i++) {
    const number = numbers[persons[i]!]!;
    if (number !== 0) starts[number + 1]!++;
  }
}

function placeTimes(
  { events, from, to }: Piece,
  numbers: Uint32Array,
  starts: Uint32Array,
  placed: Float64Array,
): void {
  const { persons, times } = events;
  for (let i = from; i < to; i++) {
    const number = numbers[persons[i]!]!;
    if (number !== 0) placed[starts[number]!++] = times[i]!;
  }
}

function placeEvents({ events, from, to }: Piece, numbers: Uint32Array, courses: Courses): void {
  const { persons, times, arrivals, labels } = events;
  const { starts, times: placed, arrivals: placedArrivals, labels: placedLabels } = courses;
  for (let i = from; i < to; i++) {
    const number = numbers[persons[i]!]!;
    if (number === 0) continue;
    const at = starts[number]!++;
    placed[at] = times[i]!;
    if (placedArrivals !== null && arrivals !== null) placedArrivals[at] = arrivals[i]!;
    if (placedLabels !== null && labels !== null) placedLabels[at] = labels[i]!;
  }
}
