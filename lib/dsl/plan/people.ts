/** `people`: who is behind an answer. Its rows are persons in their groups, with the time that counts. */
import type { Condition, FieldGroup, Group, Plan } from './plan.ts';
import type { Cell, TableColumn } from './table.ts';

/** What tells who a person is. */
export const PERSON_GROUPS: readonly FieldGroup[] = [
  { kind: 'field', field: { kind: 'core', name: 'distinct_id' }, column: 'distinct_id' },
  { kind: 'field', field: { kind: 'account', name: 'email' }, column: 'email' },
];

/** The columns in front of those of the groups. */
export const PERSON_COLUMNS: readonly TableColumn[] = [
  { name: 'distinct_id', type: 'string', role: 'value' },
  { name: 'email', type: 'string', role: 'value' },
  { name: 'time', type: 'time', role: 'value' },
];

/** Nobody is no row of people. */
export const IS_SOMEBODY: Condition = {
  kind: 'test',
  field: { kind: 'core', name: 'distinct_id' },
  test: { op: 'exists' },
};

/** Whether a plan's people are groups like others, with the time as their metric: those of events and of sessions. */
const groupsByPerson = ({ kind }: Plan): boolean => kind === 'aggregate' || kind === 'sessions';

/** The groups of an answer; of people without those that tell who somebody is. */
export function groupsOfPeople(plan: Plan): readonly Group[] {
  const groups = 'groups' in plan ? plan.groups : [];
  return plan.people !== undefined && groupsByPerson(plan) ? groups.slice(PERSON_GROUPS.length) : groups;
}

/** The groups that rows are counted by: whose e-mail address it is follows from who it is. */
export function countedGroups(plan: Plan & { readonly groups: readonly Group[] }): readonly Group[] {
  if (plan.people === undefined || !groupsByPerson(plan)) return plan.groups;
  const [person] = PERSON_GROUPS;
  return [person!, ...groupsOfPeople(plan)];
}

/** A row of people from the cells of its groups, `PERSON_GROUPS` first, and the time behind them. */
export function rowOfPerson(cells: readonly Cell[]): Cell[] {
  const [person = null, email = null] = cells;
  return [person, email, cells.at(-1) ?? null, ...cells.slice(PERSON_GROUPS.length, -1)];
}
