/** What the notes below an answer need to know besides its rows (lib/dsl/hints/notes.ts). */
import { fieldName } from '../../dsl/plan/fields.ts';
import type { Field, Plan } from '../../dsl/plan/plan.ts';
import { planUses } from '../../dsl/plan/plan-uses.ts';
import { numberCell, type Cells } from './cells.ts';
import { eventsTable } from './profiles.ts';
import { EventRows, ofProject, ProfileRows, within } from './rows.ts';
import { all, join, sql, type Sql } from './statement.ts';
import { filledColumn } from './values.ts';

export interface Observing {
  readonly sql: Sql;
  /** Of the only row. */
  readonly read: (cells: Cells) => Observed;
}

/** As lib/dsl/plan/table.ts says. */
export interface Observed {
  readonly unseenEvents: readonly string[];
  readonly unseenFields: readonly string[];
  readonly rowsScanned: number;
}

/** Looks at all rows of the range, whatever the query selects of them. */
export function observing(project: string, plan: Plan): Observing {
  const uses = planUses(plan);
  const fields = uses.fields.filter(({ kind }) => kind === 'event' || kind === 'sent' || kind === 'profile');
  const events = plan.kind === 'users' ? [] : uses.events;
  const rows = rowsOf(project, plan);
  const seen = [
    ...events.map((event) => sql`max(${filledColumn(sql`event_type`).isText([event])})`),
    ...fields.map((field) => seenAtAll(project, plan, field)),
  ];
  return {
    sql: sql`SELECT ${join([scanned(project, plan), ...seen], ', ')} ${rows.from()}`,
    read: ([count, ...found]) => ({
      rowsScanned: numberCell(count),
      unseenEvents: events.filter((_, nth) => Number(found[nth]) === 0),
      unseenFields: fields.filter((_, nth) => Number(found[events.length + nth]) === 0).map(fieldName),
    }),
  };
}

/** How many rows the answer depends on: whether a person is new, on all earlier events. */
function scanned(project: string, plan: Plan): Sql {
  if (plan.kind !== 'lifecycle') return sql`count()`;
  const earlier = { from: -Infinity, to: plan.range.to };
  return sql`(SELECT count() FROM ${eventsTable} WHERE ${all([ofProject(project), within(earlier)])})`;
}

/** Whether some row has the field: ClickHouse stops at the first. */
function seenAtAll(project: string, plan: Plan, field: Field): Sql {
  const rows = rowsOf(project, plan);
  const { present } = rows.value(field);
  return sql`(SELECT count() FROM (SELECT 1 ${rows.from(present)} LIMIT 1))`;
}

function rowsOf(project: string, plan: Plan): EventRows | ProfileRows {
  if (plan.kind === 'users') return new ProfileRows(project, { ...plan, where: null });
  return new EventRows(project, plan, { range: plan.range, events: null, where: null });
}
