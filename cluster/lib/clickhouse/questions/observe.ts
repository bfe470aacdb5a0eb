/** What the notes below an answer need to know besides its rows (lib/dsl/hints/notes.ts). */
import {
  BOT,
  DEVICE_TYPE,
  type AggregatePlan,
  type Cell,
  type Condition,
  type Field,
  fieldKey,
  fieldName,
  notedFields,
  numberFields,
  observedRange,
  type Plan,
  planUses,
  type PlanUses,
  readRange,
  storedField,
  type TimeRange,
} from '../../../../lib/seam.ts';
import { EventRows, ProfileRows } from '../sql/rows.ts';
import { join, sql, type Sql, type Tenant, type Cells } from '../sql/statement.ts';
import { filledColumn } from '../sql/values.ts';

/** As lib/dsl/plan/table.ts says. */
export interface Unseen {
  readonly unseenEvents: readonly string[];
  readonly unseenFields: readonly string[];
  readonly textFields?: readonly string[];
  readonly bots?: number;
}

/** What the notes look for: events and fields of which there may be none, and fields of which some values may be no number. */
export interface NotedUses extends PlanUses {
  readonly numbers: readonly Field[];
}

/**
 * How many rows the answer depends on, whatever the query selects of them: whether a person is new, on all earlier events. Their
 * index counts them.
 */
export function scannedRows(project: Tenant, plan: Plan): Sql {
  const range = readRange(plan);
  return sql`SELECT (SELECT count() ${rowsOf(project, plan, range).from()})`;
}

/** What the notes may look for. */
export function notedUses(plan: Plan): NotedUses {
  const { events } = planUses(plan);
  const numbers = numberFields(plan).map(({ field }) => storedField(plan, field));
  return { events: plan.kind === 'users' ? [] : events, fields: notedFields(plan), numbers };
}

/** Which of these are not in the range at all: a statement with one row, and what that says. null: nothing is asked. */
export function unseen(
  project: Tenant,
  plan: Plan,
  { events, fields, numbers }: NotedUses,
): { readonly sql: Sql; readonly read: (cells: Cells) => Unseen } | null {
  const countsBots = plan.leavesOutBots === true;
  if (events.length + fields.length + numbers.length === 0 && !countsBots) return null;
  const seen = [
    ...events.map((event) =>
      seenAtAll(rowsOf(project, plan, observedRange(plan)), filledColumn(sql`event_type`).isText([event])),
    ),
    ...fields.map((field) => {
      const own = rowsOf(project, plan, observedRange(plan));
      return seenAtAll(own, own.value(field).present);
    }),
    ...numbers.map((field) => {
      const own = rowsOf(project, plan, observedRange(plan));
      const { exists, number } = own.value(field);
      return seenAtAll(own, sql`(${exists}) AND ${number} IS NULL`);
    }),
    ...(countsBots ? [botsOf(rowsOf(project, plan, observedRange(plan)))] : []),
  ];
  return {
    sql: sql`SELECT ${join(seen, ', ')}`,
    read: (found) => ({
      unseenEvents: events.filter((_, nth) => Number(found[nth]) === 0),
      unseenFields: fields.filter((_, nth) => Number(found[events.length + nth]) === 0).map(fieldName),
      textFields: numbers.filter((_, nth) => Number(found[events.length + fields.length + nth]) > 0).map(fieldName),
      ...(countsBots && Number(found.at(-1)) > 0 ? { bots: Number(found.at(-1)) } : {}),
    }),
  };
}

/** Whether some row is such: ClickHouse stops at the first. */
function seenAtAll(rows: EventRows | ProfileRows, is: Sql): Sql {
  return sql`(SELECT count() FROM (SELECT 1 ${rows.from(is)} LIMIT 1))`;
}

const botsOf = (rows: EventRows | ProfileRows): Sql =>
  sql`(SELECT count() ${rows.from(rows.value(DEVICE_TYPE).isText([BOT]))})`;

function rowsOf(project: Tenant, plan: Plan, range: TimeRange): EventRows | ProfileRows {
  if (plan.kind === 'users') return new ProfileRows(project, { ...plan, where: null });
  return new EventRows(project, plan, { range, events: null, where: null });
}

/** Those of `uses` that the rows do not show. @param rows As ClickHouse found them: groups, then metrics. */
export function notProven(plan: AggregatePlan, uses: NotedUses, rows: readonly (readonly Cell[])[]): NotedUses {
  const { groups, metrics, rolling } = plan;
  if (rolling !== undefined) return uses; // windows have events from before the range, of which notes do not speak
  const isShown = (column: number): boolean => rows.some((row) => row[column] !== null && row[column] !== 0);
  const shownMetrics = metrics.filter((_, nth) => isShown(groups.length + nth));
  // Each group has an event; without groups there is always a row.
  if (groups.length > 0 ? rows.length === 0 : shownMetrics.length === 0) return uses;
  const shown = [
    ...needed(plan.where),
    ...groups.flatMap((group, nth) => (group.kind === 'field' && isShown(nth) ? [fieldKey(group.field)] : [])),
    ...shownMetrics.flatMap((metric) => (metric.kind === 'count' ? [] : [fieldKey(metric.field)])),
  ];
  return { ...uses, events: [], fields: uses.fields.filter((field) => !shown.includes(fieldKey(field))) };
}

/** Fields without which the condition holds of no row: a test of a missing value fails. */
function needed(condition: Condition | null): readonly string[] {
  switch (condition?.kind) {
    case 'test':
      return [fieldKey(condition.field)];
    case 'and':
      return condition.terms.flatMap(needed);
    case 'or': {
      const [first = [], ...others] = condition.terms.map(needed);
      return first.filter((name) => others.every((other) => other.includes(name)));
    }
    default:
      return [];
  }
}
