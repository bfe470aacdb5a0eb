/** `people`: who is behind an answer. */
import { groupsOfPeople } from '../../lib/dsl/plan/people.ts';
import type { AggregatePlan, Plan, SessionsPlan } from '../../lib/dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import { groupColumn, pileUp, type Label, type Row } from './groups.ts';
import { readProfile, type Scope } from './scope.ts';
import { by, column, inTurn, type Sheet } from './table.ts';
import { groupText, Instant } from './value.ts';

/** A person in one of the groups. */
export interface Person {
  readonly id: string;
  readonly time: number;
  readonly labels: readonly Label[];
  /** What rows of this source tell besides. */
  readonly more?: readonly Cell[];
}

/** @param more The columns behind the groups. */
export function peopleSheet(
  scope: Scope,
  plan: Plan,
  people: readonly Person[],
  more: readonly TableColumn[] = [],
): Sheet {
  const columns = [
    column('distinct_id', 'string', 'value'),
    column('email', 'string', 'value'),
    column('time', 'time', 'value'),
    ...groupsOfPeople(plan).map(groupColumn),
    ...more,
  ];
  const lines = people.map(({ id, time, labels, more: rest = [] }) => {
    const email = groupText(readProfile(scope.facts.profiles.get(id), { kind: 'account', name: 'email' }, scope.zone));
    return {
      cells: [id, email, time, ...labels.map(({ cell }) => cell), ...rest],
      keys: [id, email, time, ...labels.map(({ key }) => key), ...rest.map(keyOf)],
    };
  });
  const groups = columns.slice(3).map((_, at) => by(at + 3, 'ascending'));
  return { columns, lines, order: inTurn(by(2, 'descending'), by(0, 'ascending'), ...groups) };
}

const keyOf = (cell: Cell): string | number | null =>
  typeof cell === 'number' || typeof cell === 'string' ? cell : Array.isArray(cell) ? cell.map((label) => label ?? '(none)').join(' -> ') : groupText(cell); // prettier-ignore

/** Of rows in groups: a row a person and group, with the time of the metric. */
export function peopleOfRows(scope: Scope, plan: AggregatePlan | SessionsPlan, rows: readonly Row[]): Sheet {
  const [metric] = plan.metrics;
  if (metric === undefined || (metric.kind !== 'min' && metric.kind !== 'max'))
    throw new Error('people without a time');
  const piles = pileUp(rows, groupsOfPeople(plan), scope.zone).flatMap(({ labels, rows: own }) =>
    [...Map.groupBy(own, ({ read }) => groupText(read({ kind: 'core', name: 'distinct_id' })))].flatMap(
      ([id, same]) => {
        if (id === null) return [];
        const times = same
          .map(({ read }) => read(metric.field))
          .flatMap((time) => (time instanceof Instant ? [time.ms] : []));
        return [{ id, labels, time: metric.kind === 'min' ? Math.min(...times) : Math.max(...times) }];
      },
    ),
  );
  return peopleSheet(scope, plan, piles);
}
