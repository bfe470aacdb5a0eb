/** `stickiness`: persons by the number of days on which they did the event. */
import type { StickinessPlan } from '../../lib/dsl/plan/plan.ts';
import { peopleSheet } from './people.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { share } from './funnel.ts';
import { by, column, type Line, type Sheet } from './table.ts';
import { bucketOf } from './zone.ts';

export function answerStickiness(scope: Scope, plan: StickinessPlan): Sheet {
  const days = new Map<string, Set<string>>();
  const last = new Map<string, number>();
  for (const event of selectEvents(scope, plan)) {
    if (event.distinctId === null || !isNamed(event, plan.event)) continue;
    last.set(event.distinctId, event.time);
    const own = days.get(event.distinctId) ?? new Set();
    days.set(event.distinctId, own.add(bucketOf(event.time, 'day', plan.zone).label));
  }
  if (plan.people !== undefined) {
    const { nth } = plan.people;
    const found = [...days].filter(([, own]) => own.size === nth);
    return peopleSheet(scope, plan, found.map(([id]) => ({ id, time: last.get(id)!, labels: [] }))); // prettier-ignore
  }
  const people = [...days.values()].map((own) => own.size);
  const lines = [...new Set(people)].map((size): Line => {
    const users = people.filter((one) => one === size).length;
    const cells = [size, users, share(users, people.length)];
    return { cells, keys: cells };
  });
  const columns = [
    column('days', 'number', 'value'),
    column('users', 'number', 'metric'),
    column('share', 'ratio', 'metric'),
  ];
  return { columns, lines, order: by(0, 'ascending') };
}
