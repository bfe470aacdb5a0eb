/** `lifecycle`: who is new, returning, resurrected or dormant in each bucket. */
import type { LifecyclePlan, People } from '../../lib/dsl/plan/plan.ts';
import { holds } from './condition.ts';
import { peopleSheet, type Person } from './people.ts';
import { eventReader, isNamed, type Scope } from './scope.ts';
import { by, column, type Line, type Sheet } from './table.ts';
import { bucketOf, bucketsOf } from './zone.ts';

export function answerLifecycle(scope: Scope, plan: LifecyclePlan): Sheet {
  if (plan.people !== undefined) return peopleSheet(scope, plan, peopleIn(scope, plan, plan.people));
  const active = [...activeBuckets(scope, plan).values()];
  const columns = [
    column(plan.column, 'string', 'bucket'),
    ...['new', 'returning', 'resurrected', 'dormant'].map((name) => column(name, 'number', 'metric')),
  ];
  const lines = bucketsOf(plan.range, plan.unit, plan.zone).map(({ start, label }): Line => {
    const before = bucketOf(start - 1, plan.unit, plan.zone).start;
    const count = (is: (own: ReadonlySet<number>) => boolean): number => active.filter(is).length;
    const earlier = (own: ReadonlySet<number>): boolean => Math.min(...own) < start;
    const counts = [
      count((own) => own.has(start) && !earlier(own)),
      count((own) => own.has(start) && own.has(before)),
      count((own) => own.has(start) && !own.has(before) && earlier(own)),
      count((own) => !own.has(start) && own.has(before)),
    ];
    return { cells: [label, ...counts], keys: [start, ...counts] };
  });
  return { columns, lines, order: by(0, 'ascending') };
}

/** Those in a state in the last bucket that the range has whole. */
function peopleIn(scope: Scope, plan: LifecyclePlan, { which }: People): Person[] {
  const bucket = bucketsOf(plan.range, plan.unit, plan.zone).findLast(({ end }) => end <= plan.range.to);
  if (bucket === undefined) return [];
  const { start, end } = bucket;
  const before = bucketOf(start - 1, plan.unit, plan.zone).start;
  const events = scope.facts.events.filter(
    (event) => event.time < end && isNamed(event, plan.event) && holds(plan.where, eventReader(scope, event)),
  );
  return [...Map.groupBy(events, ({ distinctId }) => distinctId)].flatMap(([id, own]) => {
    const first = own.find(({ time }) => time >= start);
    const last = own.findLast(({ time }) => time < start);
    const wasActive = last !== undefined && last.time >= before;
    const state = first === undefined ? (wasActive ? 'dormant' : null) : last === undefined ? 'new' : wasActive ? 'returning' : 'resurrected'; // prettier-ignore
    return id === null || state !== which ? [] : [{ id, time: (first ?? last)!.time, labels: [] }];
  });
}

/** For each person the starts of buckets with such an event, over everything stored before the range's end. */
function activeBuckets(scope: Scope, plan: LifecyclePlan): Map<string, Set<number>> {
  const people = new Map<string, Set<number>>();
  for (const event of scope.facts.events) {
    if (event.time >= plan.range.to || event.distinctId === null) continue;
    if (!isNamed(event, plan.event) || !holds(plan.where, eventReader(scope, event))) continue;
    const own = people.get(event.distinctId) ?? new Set();
    own.add(bucketOf(event.time, plan.unit, plan.zone).start);
    people.set(event.distinctId, own);
  }
  return people;
}
