import { expect } from 'chai';
import fc from 'fast-check';
import { FunnelAttempts } from '../../../../lib/workers/kernels/funnel/funnel-attempts.ts';
import { ActorEvents } from '../../../../lib/workers/kernels/funnel/actor-events.ts';
import { FunnelCounts } from '../../../../lib/workers/kernels/funnel/funnel-counts.ts';
import { Timelines } from '../../../../lib/workers/persons/timelines.ts';
import type { PersonEvents } from '../../../../lib/workers/persons/event-list.ts';
import { NumberedPersons } from '../../../../lib/workers/persons/members.ts';
import { partitionEvents, PARTITIONS, type PartitionedEvents } from '../../../../lib/workers/persons/partition.ts';
import { Window } from '../../../../lib/workers/persons/window.ts';
import { findZone } from '../../../../lib/dsl/time/zone.ts';
import { rowContext } from '../../../support/row-context.ts';

const MINUTE = 60_000;

/** An event and the steps it matches. */
interface Told {
  readonly person: number;
  readonly time: number;
  readonly steps: readonly number[];
  readonly excluded: boolean;
}

interface Asked {
  readonly told: readonly Told[];
  readonly steps: number;
  /** Events per segment, in order of arrival. */
  readonly segment: number;
  readonly minutes: number;
}

/** Persons at each step, and the seconds in between, from the engine. */
function count({ told, steps, segment, minutes }: Asked, checkpoint: () => void = () => undefined): number[][] {
  const context = rowContext();
  const persons = 1 + told.reduce((most, { person }) => Math.max(most, person), 0);
  const timelinesOf = (is: (event: Told) => boolean): Timelines =>
    new Timelines([eventsOf(told, segment, is)], false, context);
  const attempts = new FunnelAttempts({
    steps: Array.from({ length: steps }, (_, step) => timelinesOf((event) => event.steps.includes(step))),
    order: 'given',
    excluded: new ActorEvents(
      timelinesOf(({ excluded }) => excluded),
      null,
      context,
    ),
    all: null,
    seats: null,
    window: new Window({ count: minutes, unit: 'm' }, findZone('UTC')!),
    shared: true,
    checkpoint,
  });
  const counts = new FunnelCounts({ times: [] }, 1, Array<number>(steps).fill(persons), context);
  const members = new NumberedPersons(persons, told.length, context);
  for (const slice of members.slices()) attempts.countSlice(slice, members, (attempt) => counts.add(attempt));
  return Array.from({ length: steps }, (_, step) => [counts.persons(0, step), counts.times(0, step)[0] ?? -1]);
}

function eventsOf(told: readonly Told[], segment: number, is: (event: Told) => boolean): PersonEvents {
  const pieces: { readonly first: number; readonly events: PartitionedEvents }[] = [];
  for (let from = 0; from < told.length; from += segment) {
    const own = [...told.entries()]
      .slice(from, from + segment)
      .filter(([, event]) => is(event))
      .sort(([a, one], [b, other]) => one.time - other.time || a - b);
    const events = partitionEvents(
      {
        persons: Uint32Array.from(own, ([, { person }]) => person),
        times: Float64Array.from(own, ([, { time }]) => time),
        arrivals: Float64Array.from(own, ([arrival]) => arrival),
        labels: null,
      },
      own.length,
    );
    pieces.push({ first: own[0]?.[1].time ?? 0, events });
  }
  let start = 0;
  const ends = pieces.flatMap(({ events }) => {
    const own = Array.from(events.ends, (end) => start + end);
    start += events.persons.length;
    return own;
  });
  const joined = (of: (events: PersonEvents | (typeof pieces)[number]['events']) => Iterable<number>): number[] =>
    pieces.flatMap(({ events }) => [...of(events)]);
  return {
    persons: Uint32Array.from(joined(({ persons }) => persons)),
    times: Float64Array.from(joined(({ times }) => times)),
    arrivals: Float64Array.from(joined(({ arrivals }) => arrivals ?? [])),
    labels: null,
    firsts: pieces.map(({ first }) => first),
    ends: Uint32Array.from(ends),
  };
}

/** The same, computed slowly: every attempt over all events of the person. */
function countSlowly({ told, steps, minutes }: Asked): number[][] {
  const persons = [...new Set(told.map(({ person }) => person))];
  const counted = persons.flatMap((person) => {
    const own = told.filter((event) => event.person === person).sort((a, b) => a.time - b.time);
    const attempts = own.filter((event) => event.steps.includes(0)).map((start) => attempt(start, own, steps, minutes));
    const furthest = Math.max(...attempts.map((taken) => taken.length));
    return attempts.filter((taken) => taken.length === furthest).slice(0, 1);
  });
  return Array.from({ length: steps }, (_, step) => {
    const reached = counted.filter((taken) => taken.length > step);
    const seconds = reached.map((taken) => (taken[step]!.time - taken[Math.max(step - 1, 0)]!.time) / 1000);
    return [reached.length, step === 0 || reached.length === 0 ? -1 : middle(seconds)];
  });
}

function attempt(start: Told, own: readonly Told[], steps: number, minutes: number): Told[] {
  const taken = [start];
  while (taken.length < steps) {
    const before = taken.at(-1)!;
    const next = own.find((e) => e.steps.includes(taken.length) && e.time >= before.time && !taken.includes(e));
    if (next === undefined || next.time > start.time + minutes * MINUTE) break;
    if (own.some(({ excluded, time }) => excluded && time > before.time && time < next.time)) break;
    taken.push(next);
  }
  return taken;
}

function middle(numbers: number[]): number {
  const sorted = numbers.sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return (sorted[Math.floor(at)]! + sorted[Math.ceil(at)]!) / 2;
}

describe('the attempts of a funnel', () => {
  const told = fc.record({
    person: fc.constantFrom(1, 1, 2, 64, 65, 700),
    time: fc.integer({ min: 0, max: 20 }).map((minute) => minute * MINUTE),
    steps: fc.constantFrom([0], [1], [2], [0, 1], [1, 2], [0, 1, 2], []),
    excluded: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });
  const asked = fc.record({
    told: fc.array(told, { minLength: 1, maxLength: 120, size: 'max' }),
    steps: fc.constantFrom(2, 3),
    segment: fc.constantFrom(5, 40, 1000),
    minutes: fc.constantFrom(1, 3, 10, 1000),
  });

  it('reach what they reach one by one, whatever comes late, at once, or is of several steps', () => {
    fc.assert(
      fc.property(asked, (question) => {
        expect(count(question)).to.deep.equal(countSlowly(question));
      }),
      { numRuns: 300 },
    );
  });

  it('take one walk over the events of a person who has very many', () => {
    const many = 150_000;
    const events = (steps: (at: number) => readonly number[]): Told[] =>
      Array.from({ length: many }, (_, at) => ({ person: 1, time: at * MINUTE, steps: steps(at), excluded: false }));
    const never = { told: events((at) => (at % 2 === 0 ? [0] : [1])), steps: 3, segment: many, minutes: 5 };
    expect(count(never)).to.deep.equal([[1, -1], [1, 60], [0, -1]]); // prettier-ignore
    const late = { told: events((at) => (at < many - 2 ? [0, 1] : [2])), steps: 3, segment: many, minutes: 2 };
    expect(count(late)).to.deep.equal([[1, -1], [1, 60], [1, 60]]); // prettier-ignore
    const atOnce = { ...never, told: never.told.map((event) => ({ ...event, time: 0 })) };
    expect(count(atOnce)).to.deep.equal([[1, -1], [1, 0], [0, -1]]); // prettier-ignore
  });

  it('look at the clock within one person, each of whose attempts fails at the last of many steps', () => {
    const steps = 60;
    const alike = Array.from({ length: steps - 1 }, (_, step) => step);
    const told = Array.from({ length: 20_000 }, () => ({ person: 1, time: 0, steps: alike, excluded: false }));
    let looks = 0;
    const counted = count({ told, steps, segment: told.length, minutes: 5 }, () => looks++);
    expect(counted.map(([persons]) => persons)).to.deep.equal([...alike.map(() => 1), 0]);
    expect(looks).to.be.above(10);
  });

  it('have the partitions of persons they were laid out by', () => {
    const persons = Uint32Array.from([5, 64, 69, 1, 5]);
    const events = { persons, times: Float64Array.from([1, 2, 3, 4, 5]), arrivals: null, labels: null };
    const { times, ends } = partitionEvents(events, 5);
    expect([...times]).to.deep.equal([2, 4, 1, 3, 5]);
    expect(ends.length).to.equal(PARTITIONS);
    expect([ends[0], ends[1], ends[4], ends[5], ends[63]]).to.deep.equal([1, 2, 2, 5, 5]);
  });
});
