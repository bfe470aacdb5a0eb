/** Merged groups and metrics as rows of cells, and the table of the page. */
import { answerColumns, columnsOf, zoneOf } from '../../dsl/plan/columns.ts';
import { finishPage, rowsNeeded } from '../../dsl/finish/finish.ts';
import { firstInOrder } from '../../dsl/finish/select-rows.ts';
import { countedGroups } from '../../dsl/plan/people.ts';
import type { Group, Plan } from '../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../dsl/plan/table.ts';
import { bucketsOf } from '../../dsl/time/buckets.ts';
import type { TimeUnit } from '../../dsl/time/units.ts';
import type { MergedGroups } from '../metrics/merge-groups.ts';
import type { GroupsPartial } from '../metrics/metric-partial.ts';
import type { MergedMetrics } from '../metrics/merge-metrics.ts';
import type { MetricValues } from '../metrics/metric-state.ts';
import { nthGreatest } from '../metrics/percentile.ts';
import { type Budget, CELL_BYTES, ENTRY_BYTES } from '../budget.ts';
import type { RowContext } from '../query-context.ts';
import type { PlanOf } from './contract.ts';
import { peopleRows, personsOfGroups } from './people.ts';
import { Lease } from '../../primitives/memory.ts';
import { threshold } from '../../base/threshold.ts';

/** From this many groups on it pays to find those on the page before making rows. */
const MANY = threshold('groups before rows', 256);

export function groupTable(
  plan: PlanOf<'aggregate' | 'users' | 'latest' | 'formula'>,
  merged: MergedMetrics,
  { budget }: Pick<RowContext, 'budget'>,
): Table {
  return pagedTable(plan, plan.groups, merged, (only) => {
    takeRows(plan, only?.length ?? merged.groups.count, budget);
    return groupRows(merged, plan.groups.length, only);
  });
}

/** The same of the persons behind an answer. @param parts Of which the groups were merged. */
export function groupedPeople(
  plan: PlanOf<'aggregate' | 'sessions'>,
  merged: MergedMetrics,
  parts: readonly GroupsPartial[],
  context: Pick<RowContext, 'budget' | 'profiles' | 'zone'>,
): Table {
  const groups = countedGroups(plan);
  const persons = personsOfGroups(parts, merged.groups, context);
  return pagedTable(plan, groups, merged, (only) => {
    takeRows(plan, only?.length ?? merged.groups.count, context.budget);
    return peopleRows(groupRows(merged, groups.length, only), { persons, only }, context);
  });
}

/** Persons may be more than groups of an answer: only memory bounds them. */
export function groupLimits<C extends RowContext>({ people }: Plan, context: C): C {
  return people === undefined ? context : { ...context, maxGroups: Infinity };
}

/** Takes memory for rows, of which each stage that works on them makes a copy; texts are counted when they are made. */
export function takeRows(plan: Plan, rows: number, budget: Budget): void {
  const copies = 1 + plan.tableStages.length;
  const hash = plan.hides === undefined ? 0 : ENTRY_BYTES; // somebody may see the id of a row as that only
  budget.take(rows * copies * ((2 + answerColumns(plan).length) * CELL_BYTES + hash));
}

/**
 * The same for rows that have more than groups and metrics.
 * @param rowsOf Makes the rows of some groups; null: of all.
 * @param each How many rows a group has.
 */
export function pagedTable(
  plan: Plan,
  groups: readonly Group[],
  merged: MergedMetrics,
  rowsOf: (only: Uint32Array | null) => Cell[][],
  each = 1,
): Table {
  const { count } = merged.groups;
  const found = count > MANY.value ? groupsOfPage(plan, groups, merged) : null;
  return finishPage(plan, columnsOf(plan), rowsOf(found), count * each);
}

/** Cells of the groups, then of the metrics. @param columns How many groups the plan has. @param only Which groups; null: all. */
export function groupRows(
  { groups, values }: MergedMetrics,
  columns: number,
  only: Uint32Array | null = null,
): Cell[][] {
  const found = values.map((of) => of(only));
  return Array.from({ length: only?.length ?? groups.count }, (_, index) => {
    const group = only === null ? index : only[index]!;
    const row = new Array<Cell>(columns + found.length); // a list that grows takes far more room
    for (let at = 0; at < columns; at++) row[at] = groups.text(at, group);
    for (let at = 0; at < found.length; at++) row[columns + at] = metricCell(found[at]!, index);
    return row;
  });
}

export function metricCell(values: MetricValues, group: number): number | string | null {
  return values instanceof Float64Array ? numberCell(values[group]!) : values[group]!;
}

/** NaN becomes null, -0 becomes 0. */
export function numberCell(value: number): number | null {
  return Number.isNaN(value) ? null : value + 0;
}

/** The groups that may be on the page. null: another order, or all of them. */
function groupsOfPage(plan: Plan, groups: readonly Group[], merged: MergedMetrics): Uint32Array | null {
  if ('rolling' in plan && plan.rolling !== undefined) return null; // every group has every bucket
  const needed = rowsNeeded(plan);
  const bucket = groups.findIndex(({ kind }) => kind === 'bucket');
  if (needed >= merged.groups.count || plan.order.kind === 'sort') return null;
  if (groups.length === 1 && groups[0]!.kind !== 'field') return null; // a sole bucket or part is filled up
  if (plan.order.kind === 'default' && plan.people === undefined) {
    if (groups.some((group) => isScale(group))) return null; // rows are ordered by it
    if (bucket >= 0) return groupsOfFirstBuckets(plan, groups, merged.groups, needed);
  }
  // Printed hours do not sort as text, nor do parts and bins.
  const sortAsText = !groups.some((group) => isScale(group) || (group.kind === 'bucket' && group.unit === 'hour'));
  return groupsWithMost(merged, needed, sortAsText && plan.hides === undefined);
}

/** Whether its values have an order of their own: parts of the calendar, and bins. */
const isScale = (group: Group): boolean => group.kind === 'part' || (group.kind === 'field' && group.bin !== undefined);

/** If rows are ordered by their first bucket: all groups of as many buckets as have so many. */
function groupsOfFirstBuckets(
  plan: Plan,
  columns: readonly Group[],
  groups: MergedGroups,
  needed: number,
): Uint32Array {
  const column = columns.findIndex(({ kind }) => kind === 'bucket');
  const { labels } = bucketsOf(plan.range, unitOf(columns[column]!), zoneOf(plan));
  const rankOf = new Map<string | null, number>(labels.map((label, rank) => [label, rank]));
  /** By number of the text. */
  const known: number[] = [];
  const ranks = new Uint32Array(groups.count);
  const sizes = new Uint32Array(labels.length);
  for (let group = 0; group < ranks.length; group++) {
    const rank = (known[groups.id(column, group)] ??= rankOf.get(groups.text(column, group))!);
    ranks[group] = rank;
    sizes[rank]!++;
  }
  let last = 0;
  for (let found = sizes[0]!; found < needed; found += sizes[last]!) last++;
  return groupsWhere(ranks, (rank) => rank <= last);
}

function unitOf(group: Group): TimeUnit {
  if (group.kind !== 'bucket') throw new Error('a group that is no bucket');
  return group.unit;
}

/**
 * If the first metric decides: the groups with more than the last row on the page, and those with as much.
 * @param byText Whether these are in order of their texts: then only the first. Texts may be ids that are shown as hashes.
 */
function groupsWithMost(merged: MergedMetrics, needed: number, byText: boolean): Uint32Array | null {
  const values = merged.values[0]?.(null);
  if (!(values instanceof Float64Array)) return null;
  const least = nthGreatest(values, needed);
  // Groups without a value come last: they are needed if fewer have one.
  const ties = groupsWhere(values, (value) => value === least || (least === -Infinity && Number.isNaN(value)));
  const greater = groupsWhere(values, (value) => value > least);
  const room = needed - greater.length;
  if (least === -Infinity || ties.length <= room || !byText) return joined(greater, ties);
  const first = firstInOrder(ties, (a, b) => merged.groups.compare(a, b), room);
  return joined(greater, Uint32Array.from(first));
}

function groupsWhere(values: Float64Array | Uint32Array, wanted: (value: number) => boolean): Uint32Array {
  using lease = new Lease();
  const found = lease.words(values.length);
  let length = 0;
  for (let group = 0; group < values.length; group++) if (wanted(values[group]!)) found[length++] = group;
  return new Uint32Array(found.subarray(0, length));
}

function joined(a: Uint32Array, b: Uint32Array): Uint32Array {
  const all = new Uint32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
