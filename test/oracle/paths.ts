/** `paths`: what persons do after the first such event, or before the last. */
import type { PathsPlan } from '../../lib/dsl/plan/plan.ts';
import type { Duration } from '../../lib/dsl/time/units.ts';
import { eventRow, type EventRow } from './events.ts';
import { byPerson, share } from './funnel.ts';
import { peopleSheet } from './people.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { by, column, inTurn, type Line, type Sheet } from './table.ts';
import { groupText } from './value.ts';
import { addDuration } from './zone.ts';

export function answerPaths(scope: Scope, plan: PathsPlan): Sheet {
  const rows = selectEvents(scope, plan).map((event) => eventRow(scope, event));
  const found = [...byPerson(rows)].flatMap(([id, own]) => {
    const path = pathOf(own, plan);
    return path === undefined ? [] : [{ id, ...path }];
  });
  if (plan.people !== undefined) {
    const people = found.map(({ id, path, anchor }) => ({ id, time: anchor.time, labels: [], more: [path] }));
    return peopleSheet(scope, plan, people, [column('path', 'json', 'group')]);
  }
  const paths = found.map(({ path }) => path);
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(JSON.stringify(path), (counts.get(JSON.stringify(path)) ?? 0) + 1);
  const columns = [
    column('path', 'json', 'group'),
    column('users', 'number', 'metric'),
    column('share', 'ratio', 'metric'),
  ];
  const lines = [...counts].map(([json, users]): Line => {
    const path: (string | null)[] = JSON.parse(json);
    const part = share(users, paths.length);
    const text = path.map((label) => label ?? '(none)').join(' -> ');
    return { cells: [path, users, part], keys: [text, users, part, json] };
  });
  // Different paths may have the same text.
  return { columns, lines, order: inTurn(by(1, 'descending'), by(0, 'ascending'), by(columns.length, 'ascending')) };
}

/** Labels in order of time; undefined if the person lacks the event. */
function pathOf(
  own: readonly EventRow[],
  plan: PathsPlan,
): { readonly path: (string | null)[]; readonly anchor: EventRow } | undefined {
  const matching = own.filter((row) => isNamed(row.event, plan.event));
  const anchor = plan.direction === 'from' ? matching[0] : matching[matching.length - 1];
  if (anchor === undefined) return undefined;
  const nodes = plan.direction === 'from' ? nodesAfter(own, anchor, plan) : nodesBefore(own, anchor, plan);
  return { anchor, path: nodes.map((row) => groupText(row.read(plan.label))) };
}

function nodesAfter(own: readonly EventRow[], anchor: EventRow, plan: PathsPlan): EventRow[] {
  const end = addDuration(anchor.time, plan.window, plan.zone);
  return own
    .slice(own.indexOf(anchor))
    .filter((row) => row.time <= end)
    .slice(0, plan.depth);
}

function nodesBefore(own: readonly EventRow[], anchor: EventRow, plan: PathsPlan): EventRow[] {
  const start = addDuration(anchor.time, backwards(plan.window), plan.zone);
  return own
    .slice(0, own.indexOf(anchor) + 1)
    .filter((row) => row.time >= start)
    .slice(-plan.depth);
}

function backwards({ count, unit }: Duration): Duration {
  return { count: -count, unit };
}
