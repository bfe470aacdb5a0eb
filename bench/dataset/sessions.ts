/** Sessions of the data set as one stream of events in time order, in the memory of a few hundred open sessions. */
import { browsers, countries, plans } from './vocabulary.ts';
import { Random } from '../../scripts/demo/random.ts';
import { MinHeap } from './min-heap.ts';

export const DAY = 86_400_000;
/** A Monday, UTC. */
export const START = Date.UTC(2024, 0, 1);
export const SPAN = 90 * DAY;

const MEAN_EVENTS = 8; // per session, geometric
const MEAN_GAP = 55_000; // milliseconds between events of a session, exponential
const ANONYMOUS = 0.25; // share of sessions without a user

export interface Session {
  readonly id: number;
  readonly user: number | null;
  readonly device: number;
  readonly browser: string;
  readonly country: string;
  readonly plan: string;
}

/** `time`: milliseconds since START; no two events share one, so that no answer depends on how ties are broken. */
export interface Step {
  readonly session: Session;
  readonly time: number;
}

interface Open {
  readonly session: Session;
  left: number;
}

export interface Population {
  readonly users: number;
  readonly devices: number;
}

/** N/20 users and N/25 devices: a few very active, most seen once or twice. */
export function population(events: number): Population {
  return { users: Math.max(1, Math.round(events / 20)), devices: Math.max(1, Math.round(events / 25)) };
}

/** Exactly `events` steps in time order. */
export function* sessionSteps(events: number, seed: number): Generator<Step, void> {
  const people = population(events);
  const gaps = new Random(seed, 'gaps');
  const open = new MinHeap<Open>();
  const arrivals = sessionStarts(events, seed, people);
  let coming = arrivals.next();
  let last = -1;
  for (let made = 0; made < events; made++) {
    while (!coming.done && (open.size === 0 || coming.value.start <= open.leastKey)) {
      open.push(coming.value.start, coming.value.open);
      coming = arrivals.next();
    }
    const key = open.leastKey;
    const current = open.pop();
    last = Math.max(Math.floor(key), last + 1);
    yield { session: current.session, time: last };
    if (--current.left === 0) continue;
    // Near the end of the range, the rest of a session moves closer together to stay within it.
    const room = (SPAN - 1 - key) / (current.left + 1);
    open.push(key + Math.min(gaps.exponential(MEAN_GAP), room), current);
  }
}

/** Sessions by start: as many as needed for the events, spread evenly over the range. */
function* sessionStarts(
  events: number,
  seed: number,
  people: Population,
): Generator<{ start: number; open: Open }, void> {
  const total = countSessions(events, seed);
  const lengths = new Random(seed, 'lengths');
  const starts = new Random(seed, 'starts');
  const who = new Random(seed, 'who');
  let leftInAll = events;
  let free = 1; // share of the range still ahead
  for (let id = 0; id < total; id++) {
    // The next of `total - id` ordered uniform draws in the rest of the range.
    free *= (1 - starts.unit()) ** (1 / (total - id));
    const left = Math.min(sessionLength(lengths), leftInAll);
    leftInAll -= left;
    yield { start: (1 - free) * (SPAN - 1), open: { session: makeSession(id, who, people), left } };
  }
}

function countSessions(events: number, seed: number): number {
  const lengths = new Random(seed, 'lengths');
  let count = 0;
  for (let held = 0; held < events; count++) held += sessionLength(lengths);
  return count;
}

function sessionLength(random: Random): number {
  return 1 + Math.floor(Math.log(1 - random.unit()) / Math.log(1 - 1 / MEAN_EVENTS));
}

function makeSession(id: number, random: Random, people: Population): Session {
  const anonymous = random.unit() < ANONYMOUS;
  const rank = random.unit();
  const user = anonymous ? null : spread(Math.floor(people.users * rank ** 2.5), people.users);
  const device =
    user === null
      ? spread(Math.floor(people.devices * rank ** 1.5), people.devices)
      : (user * 5 + (random.next() & 1)) % people.devices;
  return {
    id,
    user,
    device,
    browser: browsers.draw(random),
    country: countries[Math.floor(countries.length * random.unit() ** 3)]!,
    plan: plans.draw(random),
  };
}

/** The id number for a rank, so that ids do not show how active someone is. */
function spread(rank: number, count: number): number {
  return (rank * 15_485_863 + 7) % count;
}
